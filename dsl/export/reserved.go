package export

import "strings"

// words splits a list of names.
func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// suffixed is a name with a "_" behind it if it is one of the words, none of which ends so.
func suffixed(name string, words map[string]bool) string {
	if words[name] {
		return name + "_"
	}
	return name
}

// goWords are the names that a function must not use for others, since exported code uses them; keywords are apart.
var goWords = words(`_ bool float64 math bits choose num square cube mod`)

// pythonWords are the keywords of Python 3 and the names that exported code uses.
var pythonWords = words(`False None True and as assert async await break class continue def del elif else except finally for from
		global if import in is lambda nonlocal not or pass raise return try while with yield match case type
		abs float math struct unittest
		_div _mod _min _max _square _cube _sqrt _floor _ceil _exp _log _log1p _pow`)

// javaScriptWords are the reserved words of ECMAScript modules, the names that must not be bound there, and those that exported
// code uses.
var javaScriptWords = words(`arguments await break case catch class const continue debugger default delete do else enum eval export
		extends false finally for function get if implements import in instanceof interface let new null of package
		private protected public return set static super switch this throw true try typeof var void while with yield
		async undefined NaN Infinity Math Object
		mod pow square cube`)

// cWords are the keywords of C, up to C23, and of C++, object-like macros that compilers define, and the names that exported
// code uses.
var cWords = words(`auto break case char const continue default do double else enum extern float for goto if inline int long
		register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
		alignas alignof bool constexpr false nullptr static_assert thread_local true typeof typeof_unqual asm fortran
		and and_eq bitand bitor catch char8_t char16_t char32_t class co_await co_return co_yield compl concept
		const_cast consteval constinit decltype delete dynamic_cast explicit export friend mutable namespace new noexcept
		not not_eq operator or or_eq private protected public reinterpret_cast requires static_cast template this throw
		try typeid typename using virtual wchar_t xor xor_eq
		linux unix i386 vax sun near far huge interface complex imaginary
		fabs sqrt floor ceil
		portable_exp portable_log portable_log1p portable_tanh portable_pow portable_mod portable_min portable_max
		portable_square portable_cube number_of compare count wrong`)

// cLibrary are names of the C library that a function of external linkage must not have.
var cLibrary = words(`main abort abs access acos acosh alarm asctime asin asinh atan atan2 atanh atexit atof atoi atol bcmp bcopy
		bind brk bsearch bzero calloc cbrt ceil chdir clearerr clock clone close connect copysign cos cosh creat ctime
		difftime div drem dup erf erfc exit exp exp10 exp2 expm1 fabs fclose fdim feof ferror fflush ffs fgetc fgets fgetpos floor fma
		fmax fmin fmod fopen fork fprintf fputc fputs fread free frexp fscanf fseek ftell fwrite gamma getc getchar getenv
		getpid gets gmtime hypot ilogb index infinity isalnum isalpha isatty isdigit islower isspace isupper j0 j1 jn kill labs
		ldexp ldiv lgamma link listen llabs llrint llround localeconv localtime log log10 log1p log2 logb longjmp lrint lround
		lseek malloc memchr memcmp memcpy memmove memset mktime modf nan nearbyint nextafter nexttoward nice open pause perror
		pipe poll pow pow10 printf putc putchar putenv puts qsort raise rand random read realloc recv remainder remove remquo rename
		rewind rindex rint round sbrk scalb scalbln scalbn scanf select send setbuf setenv setjmp setlocale signal signbit signgam
		significand sin sinh sleep socket sprintf sqrt srand sscanf stat stderr stdin stdout strcat strchr strcmp strcpy strcspn
		strerror strlen strncat strncmp strncpy strpbrk strrchr strspn strstr strtod strtok strtol sync system tan tanh tgamma
		time times tmpfile tmpnam tolower toupper trunc ungetc unlink vprintf wait write y0 y1 yn`)
