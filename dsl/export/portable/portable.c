/* The portable functions of the rule language: dsl/fmath in C99, operation for operation, under the names that they have there.
   An export copies what it needs, see cportable.go: a piece ends at an empty line, so none has one inside. The tables and
   coefficients are those of dsl/fmath/tables.go. */

typedef struct { double tail; uint64_t bits; } expEntry; /* 2^(i/N) as scale (1 + tail) */

typedef struct { double invc, logc, tail; } logEntry; /* 1/c and log c = logc + tail */

#define SIGN_BIT ((uint64_t)1 << 63)

#define INF_BITS ((uint64_t)0x7ff << 52)

#define ONE_BITS ((uint64_t)0x3ff << 52)

#define MIN_NORM_BITS ((uint64_t)1 << 52)

#define ROUND_SHIFT 0x1.8p52 /* adding and subtracting it rounds to a whole number */

static uint64_t to_bits(double x)
{
	uint64_t b;
	memcpy(&b, &x, sizeof b);
	return b;
}

static double from_bits(uint64_t b)
{
	double x;
	memcpy(&x, &b, sizeof x);
	return x;
}

static double portable_min(double x, double y)
{
	if (x != x || y != y) return NAN;
	if (x == 0 && y == 0) return signbit(x) ? x : y;
	return x < y ? x : y;
}

static double portable_max(double x, double y)
{
	if (x != x || y != y) return NAN;
	if (x == 0 && y == 0) return signbit(x) ? y : x;
	return x > y ? x : y;
}

static double portable_square(double x) { return x * x; }

static double portable_cube(double x) { return x * x * x; }

/* x with the lower 27 bits of its significand cleared. */
static double upper_half(double x) { return from_bits(to_bits(x) & ~(((uint64_t)1 << 27) - 1)); }

/* e**(x+lo) as scale (1 + p); returns p and the bits of scale, whose exponent wraps where it leaves the normal range. */
static double exp_reduce(double x, double lo, uint64_t *bits)
{
	double shifted = expInvStep * x + ROUND_SHIFT;
	double k = shifted - ROUND_SHIFT;
	uint64_t low = to_bits(shifted);
	const expEntry *e = &expTable[low & (((uint64_t)1 << expTableBits) - 1)];
	double r = (x - k * expStepHi) - k * expStepLo + lo;
	double r2 = r * r;
	*bits = e->bits + (low << (52 - expTableBits));
	return e->tail + r + r2 * ((expC2 + r * expC3) + r2 * (expC4 + r * expC5));
}

/* scale (1 + p) for a scale whose exponent may have wrapped, rounded once where the result is subnormal. */
static double exp_scale(double p, uint64_t bits, bool great)
{
	double scale, prod, y, one, lost, hi;
	if (great) {
		scale = from_bits(bits - ((uint64_t)1009 << 52));
		return 0x1p1009 * (scale + scale * p);
	}
	scale = from_bits(bits + ((uint64_t)1022 << 52));
	prod = scale * p;
	y = scale + prod;
	if (fabs(y) >= 1) return 0x1p-1022 * y;
	one = copysign(1, y);
	lost = scale - y + prod;
	hi = one + y;
	lost = one - hi + y + lost;
	y = (hi + lost) - one;
	return copysign(0x1p-1022 * y, one);
}

/* e**(hi+lo) with the given sign bit. */
static double exp_sum(double hi, double lo, uint64_t sign)
{
	uint64_t bits;
	double p, scale;
	if (fabs(hi) < 512) {
		p = exp_reduce(hi, lo, &bits);
		scale = from_bits(bits + sign);
		return scale + scale * p;
	}
	if (hi >= 1024) return from_bits(INF_BITS | sign);
	if (hi <= -1024) return from_bits(sign);
	p = exp_reduce(hi, lo, &bits);
	return exp_scale(p, bits + sign, hi > 0);
}

static double portable_exp(double x)
{
	uint64_t bits;
	double p, scale;
	if (x != x) return NAN;
	if (!(fabs(x) < 512)) return exp_sum(x, 0, 0);
	p = exp_reduce(x, 0, &bits);
	scale = from_bits(bits);
	return scale + scale * p;
}

/* The positive normal number of the given bits as 2^k z: the table entry of z, and z/c - 1 = rhi + rlo. */
static const logEntry *log_reduce(uint64_t bits, double *k, double *rhi, double *rlo)
{
	uint64_t from_offset = bits - logOffset;
	const logEntry *e = &logTable[(from_offset >> (52 - logTableBits)) & (((uint64_t)1 << logTableBits) - 1)];
	int exponent = (int)(from_offset >> 52);
	double zhi, zlo;
	if (exponent >= 2048) exponent -= 4096; /* 12 bits in two's complement */
	bits -= from_offset & ((uint64_t)0xfff << 52);
	zhi = from_bits((bits + ((uint64_t)1 << 31)) & ((uint64_t)0xffffffff << 32));
	zlo = from_bits(bits) - zhi;
	*k = exponent;
	*rhi = zhi * e->invc - 1;
	*rlo = zlo * e->invc;
	return e;
}

/* log(1 + r) - r. */
static double log_poly(double r)
{
	double r2 = r * r;
	double p = (logC3 + r * logC4) + r2 * ((logC5 + r * logC6) + r2 * (logC7 + r * logC8));
	return r * r2 * p - 0.5 * r2;
}

/* k log 2 + log c + log(1 + rhi + rlo). */
static double log_sum(const logEntry *e, double k, double rhi, double rlo)
{
	double t = k * ln2Hi + e->logc + rhi;
	double hi = t + rlo;
	double lo = (t - hi) + rlo;
	return hi + (log_poly(rhi + rlo) + (lo + (k * ln2Lo + e->tail)));
}

static double portable_log(double x)
{
	uint64_t bits = to_bits(x);
	double k, rhi, rlo;
	const logEntry *e;
	if (bits - MIN_NORM_BITS >= INF_BITS - MIN_NORM_BITS) {
		if (x == 0) return -INFINITY;
		if (!(x > 0)) return NAN;
		if (bits == INF_BITS) return x;
		bits = to_bits(x * 0x1p52) - ((uint64_t)52 << 52); /* subnormal */
	}
	e = log_reduce(bits, &k, &rhi, &rlo);
	return log_sum(e, k, rhi, rlo);
}

static double portable_log1p(double x)
{
	double s, sx, lost, scale, k, rhi, rlo;
	const logEntry *e;
	if (fabs(x) < 0x1p-8) return x + log_poly(x);
	if (x == -1) return -INFINITY;
	if (!(x > -1)) return NAN;
	if (!(x < 0x1p62)) return portable_log(x);
	s = 1 + x;
	sx = s - 1;
	lost = (x - sx) + (1 - (s - sx));
	e = log_reduce(to_bits(s), &k, &rhi, &rlo);
	scale = from_bits(ONE_BITS - ((uint64_t)(int64_t)k << 52));
	return log_sum(e, k, rhi, rlo + lost * scale * e->invc);
}

/* tanh x - x near 0. */
static double tanh_poly(double x)
{
	double y = x * x;
	double y2 = y * y;
	double p = (tanhC3 + y * tanhC5) + y2 * ((tanhC7 + y * tanhC9) + y2 * (tanhC11 + y * tanhC13));
	return x * y * p;
}

/* 1 - 2/(e**2a + 1), the quotient in two parts. */
static double tanh_exp(double a)
{
	uint64_t bits;
	double p = exp_reduce(a + a, 0, &bits);
	double scale = from_bits(bits);
	double prod = scale * p;
	double d = scale + 1;
	double low = ((scale - d) + 1) + prod;
	double q = 2 / (d + low);
	double qhi = upper_half(q), dhi = upper_half(d);
	double rest = (2 - qhi * dhi) - qhi * ((d - dhi) + low);
	double t = 1 - qhi;
	return t + (((1 - t) - qhi) - rest * (0.5 * q));
}

static double portable_tanh(double x)
{
	double a = fabs(x);
	if (a < 0x1p-28) return x;
	if (a < tanhSmall) return x + tanh_poly(x);
	if (a != a) return NAN;
	if (!(a < 19.0625)) return copysign(1, x);
	return copysign(tanh_exp(a), x);
}

/* log x as hi + lo. */
static double pow_log(uint64_t xbits, double *lo)
{
	double k, rhi, rlo;
	const logEntry *e = log_reduce(xbits, &k, &rhi, &rlo);
	double t = k * ln2Hi + e->logc + rhi;
	double t1 = t + rlo;
	double lo1 = (t - t1) + rlo;
	double square = -0.5 * rhi * rhi;
	double t2 = t1 + square;
	double lo2 = (t1 - t2) + square;
	double r = rhi + rlo;
	double r2 = r * r;
	double p = (logC3 + r * logC4) + r2 * ((logC5 + r * logC6) + r2 * (logC7 + r * logC8));
	double rest = r * r2 * p - 0.5 * rlo * (r + rhi) + (k * ln2Lo + e->tail) + lo1 + lo2;
	double hi = t2 + rest;
	*lo = (t2 - hi) + rest;
	return hi;
}

/* x**y with the given sign bit for the x > 0 of the given bits and |y| < 2^63. */
static double pow_normal(uint64_t xbits, double y, uint64_t sign)
{
	double lo;
	double hi = pow_log(xbits, &lo);
	double yhi = upper_half(y), lhi = upper_half(hi);
	double ehi = yhi * lhi;
	double elo = (y - yhi) * lhi + y * ((hi - lhi) + lo);
	return exp_sum(ehi, elo, sign);
}

static double portable_pow(double x, double y)
{
	uint64_t xbits = to_bits(x), abits;
	uint64_t sign = 0;
	double a = fabs(x);
	bool whole;
	if (xbits - MIN_NORM_BITS < INF_BITS - MIN_NORM_BITS && fabs(y) < 0x1p63) return pow_normal(xbits, y, 0);
	if (x == 1 || y == 0) return 1;
	if (x != x || y != y) return NAN;
	if (fabs(y) >= 0x1p63) return a == 1 ? 1 : (a > 1) == (y > 0) ? INFINITY : 0;
	whole = y == floor(y);
	if (whole && ((int64_t)y & 1) != 0) sign = xbits & SIGN_BIT;
	abits = to_bits(a);
	if (a == 0 || abits == INF_BITS) return from_bits(((a > 1) == (y > 0) ? INF_BITS : 0) | sign);
	if (x < 0 && !whole) return NAN;
	if (abits < MIN_NORM_BITS) return pow_normal(to_bits(a * 0x1p52) - ((uint64_t)52 << 52), y, sign);
	return pow_normal(abits, y, sign);
}

/* m and e with x = m 2^(e-1074) for the finite positive x of the given bits. */
static uint64_t whole_and_exponent(uint64_t x, int *e)
{
	*e = (int)(x >> 52);
	if (*e == 0) return x;
	--*e;
	return (x & (MIN_NORM_BITS - 1)) | MIN_NORM_BITS;
}

/* The exact a mod b for finite a >= b > 0 given by their bits, 11 binary places of the quotient at a time. */
static double remainder_of(uint64_t abits, uint64_t bbits)
{
	int ea, eb, places;
	uint64_t r = whole_and_exponent(abits, &ea), mb = whole_and_exponent(bbits, &eb);
	r %= mb;
	for (places = ea - eb; places > 0 && r != 0;) {
		int n = places < 11 ? places : 11;
		r = (r << n) % mb;
		places -= n;
	}
	if (r == 0) return 0;
	while (r < MIN_NORM_BITS && eb > 0) {
		r <<= 1;
		eb--;
	}
	return from_bits(r + ((uint64_t)eb << 52));
}

/* The remainder of x by y with the sign of y. */
static double portable_mod(double x, double y)
{
	double a = fabs(x), b = fabs(y), r;
	if (!(a < INFINITY && b > 0)) return NAN;
	r = a < b ? a : remainder_of(to_bits(a), to_bits(b));
	if (r == 0) return copysign(0, y);
	if (!signbit(x) == !signbit(y)) return copysign(r, y);
	return y - copysign(r, y);
}
