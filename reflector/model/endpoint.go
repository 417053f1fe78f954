package model

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	"golang.org/x/time/rate"
)

// Endpoint says where a server is and how patiently it is asked. Only Key may have to be set.
type Endpoint struct {
	// BaseURL of the server's interface; "" is the provider's own.
	BaseURL string
	// Key authenticates; "" sends none, which is what a local server wants. It is in no error and no record.
	Key string
	// Timeout bounds one attempt; 0 is DefaultTimeout.
	Timeout time.Duration
	// Retries is how often a request is sent again after a failure that may pass: 408, 409, 429, 5xx, a broken
	// connection, a body that is not what it should be; 0 is DefaultRetries, below 0 none.
	Retries int
	// WaitMin and WaitMax bound the wait before a retry, which doubles; 0 is DefaultWaitMin and DefaultWaitMax.
	// A server's Retry-After counts instead, up to MaxRetryAfter.
	WaitMin, WaitMax time.Duration
	// RequestsPerMinute and TokensPerMinute limit the rate; 0 is no limit. A retry is a request. Before a request
	// its tokens are taken to be those of the prompt and MaxTokens.
	RequestsPerMinute, TokensPerMinute int
	// Transport carries the requests; nil is the default.
	Transport http.RoundTripper
}

// The defaults of an Endpoint.
const (
	DefaultTimeout = 2 * time.Minute
	DefaultRetries = 4
	DefaultWaitMin = 500 * time.Millisecond
	DefaultWaitMax = time.Minute
	// MaxRetryAfter bounds the wait that a server may ask for.
	MaxRetryAfter = 10 * time.Minute
)

// maxBody bounds how much of an answer is read.
const maxBody = 8 << 20

// Validate reports everything that is wrong with the endpoint.
func (e Endpoint) Validate() error {
	var errs []error
	if u, err := url.Parse(e.BaseURL); e.BaseURL != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		errs = append(errs, fmt.Errorf("base_url %q is no http or https address", e.BaseURL))
	}
	if e.Timeout < 0 || e.WaitMin < 0 || e.WaitMax < 0 {
		errs = append(errs, errors.New("timeouts and waits must not be negative"))
	}
	if e.RequestsPerMinute < 0 || e.TokensPerMinute < 0 {
		errs = append(errs, errors.New("rates must not be negative"))
	}
	return errors.Join(errs...)
}

// server sends requests to one address.
type server struct {
	url      string
	shown    string // url as errors quote it
	key      string // which errors do not quote
	headers  http.Header
	client   *retryablehttp.Client
	requests *rate.Limiter // nil without a limit
	tokens   *rate.Limiter
}

func newServer(e Endpoint, base, path string, headers http.Header) *server {
	client := retryablehttp.NewClient()
	client.Logger = nil
	client.RetryMax = max(cmp.Or(e.Retries, DefaultRetries), 0)
	client.RetryWaitMin, client.RetryWaitMax = cmp.Or(e.WaitMin, DefaultWaitMin), cmp.Or(e.WaitMax, DefaultWaitMax)
	client.CheckRetry, client.Backoff = retryable, wait
	client.ErrorHandler = retryablehttp.PassthroughErrorHandler
	client.HTTPClient.Timeout = cmp.Or(e.Timeout, DefaultTimeout)
	// A redirect would take the key, and what is asked, to a place that nobody named.
	client.HTTPClient.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if e.Transport != nil {
		client.HTTPClient.Transport = e.Transport
	}
	headers.Set("Content-Type", "application/json")
	address := strings.TrimSuffix(cmp.Or(e.BaseURL, base), "/") + path
	shown := address
	if u, err := url.Parse(address); err == nil {
		shown = u.Redacted()
	}
	requests := perMinute(e.RequestsPerMinute, 1)
	if requests != nil {
		client.PrepareRetry = func(again *http.Request) error { return requests.Wait(again.Context()) }
	}
	return &server{
		url: address, shown: shown, key: e.Key, headers: headers, client: client,
		requests: requests, tokens: perMinute(e.TokensPerMinute, e.TokensPerMinute),
	}
}

func perMinute(n, burst int) *rate.Limiter {
	if n == 0 {
		return nil
	}
	return rate.NewLimiter(rate.Limit(float64(n)/60), burst)
}

// retryable decides whether a failure may pass.
func retryable(ctx context.Context, resp *http.Response, err error) (bool, error) {
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil {
		// A body that is not what it should be, a broken connection: all but what asking again cannot mend.
		again, _ := retryablehttp.DefaultRetryPolicy(ctx, nil, err)
		return again, nil
	}
	switch code := resp.StatusCode; {
	case code == http.StatusRequestTimeout, code == http.StatusConflict, code == http.StatusTooManyRequests, code >= 500:
		return true, nil
	}
	return false, nil
}

// wait is how long to wait before the next attempt: what the server asks for, else twice as long each time.
func wait(shortest, longest time.Duration, attempt int, resp *http.Response) time.Duration {
	if resp != nil {
		if d, ok := retryAfter(resp.Header, time.Now); ok {
			return min(d, MaxRetryAfter)
		}
	}
	return time.Duration(math.Min(float64(shortest)*math.Pow(2, float64(attempt)), float64(longest)))
}

// retryAfter reads Retry-After-Ms, or Retry-After in seconds or as a date.
func retryAfter(h http.Header, now func() time.Time) (time.Duration, bool) {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms >= 0 {
		return toDuration(ms * float64(time.Millisecond)), true
	}
	text := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(text, 64); err == nil && s >= 0 {
		return toDuration(s * float64(time.Second)), true
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now()), 0), true
	}
	return 0, false
}

// toDuration keeps a server's number within what a duration can be.
func toDuration(ns float64) time.Duration {
	return time.Duration(math.Min(ns, float64(math.MaxInt64/2)))
}

// StatusError is an answer that is an error, after all retries.
type StatusError struct {
	URL    string
	Status int
	// Message is the server's own, cut.
	Message string
}

func (e *StatusError) Error() string {
	s := fmt.Sprintf("POST %s: %d %s", e.URL, e.Status, http.StatusText(e.Status))
	if e.Message != "" {
		s += ": " + e.Message
	}
	return s
}

// post sends a request and reads the answer with decode, which is called once an attempt succeeds.
func (s *server) post(ctx context.Context, body any, tokens int, decode func([]byte) error) error {
	text, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("writing the request: %w", err)
	}
	if err := s.limit(ctx, tokens); err != nil {
		return err
	}
	req, err := retryablehttp.NewRequestWithContext(ctx, http.MethodPost, s.url, text)
	if err != nil {
		return fmt.Errorf("POST %s: %w", s.shown, plain(err))
	}
	req.Header = s.headers.Clone()
	req.SetResponseHandler(func(resp *http.Response) error {
		if resp.StatusCode != http.StatusOK {
			return nil
		}
		answer, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
		if err != nil {
			return fmt.Errorf("reading the answer: %w", err)
		}
		return decode(answer)
	})
	resp, err := s.client.Do(req)
	if resp != nil {
		defer resp.Body.Close()
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("POST %s: %w", s.shown, plain(err))
	case resp.StatusCode != http.StatusOK:
		answer, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10)) // what cannot be read is not quoted
		return &StatusError{URL: s.shown, Status: resp.StatusCode, Message: s.complaint(answer)}
	}
	return nil
}

// close ends the connections that wait for another request.
func (s *server) close() error {
	s.client.HTTPClient.CloseIdleConnections()
	return nil
}

// limit waits until the rates allow a request of about so many tokens.
func (s *server) limit(ctx context.Context, tokens int) error {
	if s.requests != nil {
		if err := s.requests.Wait(ctx); err != nil {
			return err
		}
	}
	if s.tokens != nil {
		return s.tokens.WaitN(ctx, min(tokens, s.tokens.Burst()))
	}
	return nil
}

// plain takes off what net/http wraps around an error, which repeats the address.
func plain(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// complaint finds the message in the body of an error: both interfaces put it into error.message. Some servers
// quote the key that they refuse.
func (s *server) complaint(body []byte) string {
	var e struct {
		Error struct{ Message string }
	}
	text := string(bytes.TrimSpace(body))
	if json.Unmarshal(body, &e) == nil && e.Error.Message != "" {
		text = e.Error.Message
	}
	if s.key != "" {
		text = strings.ReplaceAll(text, s.key, "[key]")
	}
	return clip(strings.Join(strings.Fields(text), " "), 300)
}

// clip cuts a text to so many characters.
func clip(s string, most int) string {
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i]
		}
	}
	return s
}
