// SPDX-License-Identifier: GPL-2.0-only
/*
 * Words "name=value": what the grammars of blueprints and of profiles have in common.
 *
 * DOC: Words
 *
 * Pure functions. The text is cut into words first, and whether each is known and there
 * once is looked at; then the values are read, in the order of the grammar. Nothing is
 * copied: a value is a piece of the text, and where it stands is known to the end, so that
 * every refusal can say what is wrong and where. What was written by others is shown with
 * "?" in place of what cannot be printed, and not in full if it is long.
 */
#include <linux/array_size.h>
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/sprintf.h>
#include <linux/string.h>
#include <linux/stdarg.h>

#include "words.h"

/* Characters of somebody's text that a reason repeats */
#define SHOWN	24

static const char *const engine_names[] = { "compute", "copy", "raster", "display" };

/* Not isspace(), which takes a part of UTF-8 characters for space */
static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool span_is(const struct tess_span *span, const char *name)
{
	return strlen(name) == span->len && !memcmp(name, span->text, span->len);
}

/* For people; the terminal or log that it gets to must not be harmed by it */
static const char *span_show(const struct tess_span *span, char buf[SHOWN + sizeof("...")])
{
	size_t i;

	for (i = 0; i < span->len && i < SHOWN; i++)
		buf[i] = span->text[i] >= ' ' && span->text[i] <= '~' ? span->text[i] : '?';
	strscpy(buf + i, span->len > SHOWN ? "..." : "", sizeof("..."));
	return buf;
}

/**
 * tess_words_refuse() - say what is wrong and where
 * @words: words
 * @where: at what; NULL: at the beginning
 * @fmt: what is wrong, as for printf
 *
 * Return: -EINVAL.
 */
int tess_words_refuse(struct tess_words *words, const struct tess_span *where, const char *fmt, ...)
{
	struct tess_reason *reason = words->reason;
	size_t size = sizeof(reason->text);
	unsigned int line = 1, column = 1;
	va_list args;
	int len = 0;

	if (!reason)
		return -EINVAL;
	if (where) {
		line = where->line;
		column = where->column;
	}
	if (words->is_file)
		len = scnprintf(reason->text, size, "line %u, ", line);
	len += scnprintf(reason->text + len, size - len, "column %u: ", column);
	va_start(args, fmt);
	vscnprintf(reason->text + len, size - len, fmt, args);
	va_end(args);
	return -EINVAL;
}

/**
 * tess_words_has() - is a word there?
 * @words: words that were read
 * @word: its number
 *
 * Return: true if it is.
 */
bool tess_words_has(const struct tess_words *words, unsigned int word)
{
	return words->name[word].column;
}

static void words_step(struct tess_words *words)
{
	words->column++;
	if (*words->at++ == '\n') {
		words->line++;
		words->column = 1;
	}
}

static void words_skip(struct tess_words *words)
{
	bool comment = false;

	for (; *words->at; words_step(words)) {
		if (*words->at == '#' && words->is_file)
			comment = true;
		else if (*words->at == '\n')
			comment = false;
		if (!comment && !is_space(*words->at))
			return;
	}
}

/* The next word up to white space; empty at the end of the text */
static struct tess_span words_next(struct tess_words *words)
{
	struct tess_span span;

	words_skip(words);
	span = (struct tess_span){ words->at, 0, words->line, words->column };
	while (*words->at && !is_space(*words->at) && !(words->is_file && *words->at == '#'))
		words_step(words);
	span.len = words->at - span.text;
	return span;
}

/**
 * tess_words_cut() - divide a piece of text
 * @span: piece, what is behind the first @at is left of it; nothing, if there is no @at
 * @at: character
 *
 * Return: what is in front of the first @at, or all. Whether there was one is told by the
 * column of @span, which is 0 if not.
 */
struct tess_span tess_words_cut(struct tess_span *span, char at)
{
	const char *end = memchr(span->text, at, span->len);
	struct tess_span head = *span;

	if (!end) {
		*span = (struct tess_span){ .text = span->text + span->len };
		return head;
	}
	head.len = end - span->text;
	span->text = end + 1;
	span->len -= head.len + 1;
	span->column += head.len + 1;
	return head;
}

static int words_add(struct tess_words *words, struct tess_span value, const char *const *names,
		     unsigned int count)
{
	char shown[SHOWN + sizeof("...")];
	struct tess_span name = tess_words_cut(&value, '=');
	unsigned int i;

	for (i = 0; i < count && !span_is(&name, names[i]); i++)
		;
	if (i == count)
		return tess_words_refuse(words, &name, "unknown word \"%s\"",
					 span_show(&name, shown));
	if (tess_words_has(words, i))
		return tess_words_refuse(words, &name, "repeated word \"%s\"", names[i]);
	if (!value.len)
		return tess_words_refuse(words, &name, "\"%s\" has no value", names[i]);
	words->name[i] = name;
	words->value[i] = value;
	return 0;
}

/**
 * tess_words_read() - cut a text into words
 * @words: the text in @at, @is_file and @reason; the rest zero. Words that are there have a
 *	name and a value, which is not empty
 * @names: of the words of the grammar
 * @count: their number, at most TESS_WORDS_MAX
 *
 * Return: 0, -EINVAL.
 */
int tess_words_read(struct tess_words *words, const char *const *names, unsigned int count)
{
	struct tess_span span;
	int rc;

	words->line = 1;
	words->column = 1;
	for (span = words_next(words); span.len; span = words_next(words)) {
		rc = words_add(words, span, names, count);
		if (rc)
			return rc;
	}
	return 0;
}

/* Digits only: no sign, no base. U64_MAX if it is more. False: not a number */
static bool span_number(const struct tess_span *span, u64 *number)
{
	bool over = false;
	u64 n = 0;
	size_t i;

	for (i = 0; i < span->len; i++) {
		unsigned int digit = span->text[i] - '0';

		if (digit > 9)
			return false;
		over |= n > (U64_MAX - digit) / 10;
		n = n * 10 + digit;
	}
	*number = over ? U64_MAX : n;
	return span->len;
}

/**
 * tess_words_number() - read a number
 * @words: words
 * @span: where it is
 * @range: what it may be
 * @number: result
 *
 * Return: 0, -EINVAL.
 */
int tess_words_number(struct tess_words *words, const struct tess_span *span,
		      const struct tess_words_range *range, u32 *number)
{
	char shown[SHOWN + sizeof("...")];
	u64 n;

	if (!span_number(span, &n))
		return tess_words_refuse(words, span, "%s: \"%s\" is no number", range->word,
					 span_show(span, shown));
	if (n < range->min || n > range->max)
		return tess_words_refuse(words, span, "%s: %s is not from %llu to %llu",
					 range->word, span_show(span, shown), range->min,
					 range->max);
	*number = n;
	return 0;
}

/* Bits that a suffix shifts by; 0: none */
static unsigned int suffix_shift(char c)
{
	switch (c) {
	case 'K':
		return 10;
	case 'M':
		return 20;
	case 'G':
		return 30;
	default:
		return 0;
	}
}

/**
 * tess_words_bytes() - read a number of bytes, with K, M or G behind it or none
 * @words: words
 * @span: where it is, not empty
 * @range: multiples of @min up to @max, which is one of whole G
 * @bytes: result
 *
 * Return: 0, -EINVAL.
 */
int tess_words_bytes(struct tess_words *words, const struct tess_span *span,
		     const struct tess_words_range *range, u64 *bytes)
{
	unsigned int shift = suffix_shift(span->text[span->len - 1]);
	char shown[SHOWN + sizeof("...")];
	struct tess_span digits = *span;
	u64 n;

	if (shift)
		digits.len--;
	if (!span_number(&digits, &n))
		return tess_words_refuse(words, span, "%s: \"%s\" is no number of bytes",
					 range->word, span_show(span, shown));
	if (n > range->max >> shift)
		return tess_words_refuse(words, span, "%s: %s is more than %lluG", range->word,
					 span_show(span, shown), range->max >> 30);
	n <<= shift;
	if (n & (range->min - 1))
		return tess_words_refuse(words, span, "%s: %s is no multiple of %lluM", range->word,
					 span_show(span, shown), range->min >> 20);
	*bytes = n;
	return 0;
}

/* All names with ", " between them, for people */
static const char *names_show(const char *const *names, unsigned int count, char *buf, size_t size)
{
	unsigned int i;
	int len = 0;

	for (i = 0; i < count; i++)
		len += scnprintf(buf + len, size - len, "%s%s", i ? ", " : "", names[i]);
	return buf;
}

/**
 * tess_words_choice() - read one of some names
 * @words: words
 * @span: where it is
 * @names: what it may be
 * @count: their number
 * @choice: result, index of the name
 *
 * Return: 0, -EINVAL.
 */
int tess_words_choice(struct tess_words *words, const struct tess_span *span,
		      const char *const *names, unsigned int count, u32 *choice)
{
	char shown[SHOWN + sizeof("...")], list[64];
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (span_is(span, names[i])) {
			*choice = i;
			return 0;
		}
	}
	return tess_words_refuse(words, span, "\"%s\" is none of %s", span_show(span, shown),
				 names_show(names, count, list, sizeof(list)));
}

/**
 * tess_words_engines() - read names of engines
 * @words: words
 * @span: where they are, with "," between them, each once; or "all"
 * @engines: result, TESS_ENGINE_*
 *
 * Return: 0, -EINVAL.
 */
int tess_words_engines(struct tess_words *words, const struct tess_span *span, u32 *engines)
{
	struct tess_span name, rest = *span;
	u32 mask = 0, i;
	int rc;

	if (span_is(span, "all")) {
		*engines = TESS_ENGINE_ALL;
		return 0;
	}
	do {
		name = tess_words_cut(&rest, ',');
		rc = tess_words_choice(words, &name, engine_names, ARRAY_SIZE(engine_names), &i);
		if (rc)
			return rc;
		if (mask & BIT(i))
			return tess_words_refuse(words, &name, "repeated engine \"%s\"",
						 engine_names[i]);
		mask |= BIT(i);
	} while (rest.column);
	*engines = mask;
	return 0;
}

/**
 * tess_words_put_engines() - write names of engines
 * @engines: TESS_ENGINE_*
 * @buf: where to
 * @size: bytes of it
 *
 * Return: length without the NUL.
 */
int tess_words_put_engines(u32 engines, char *buf, size_t size)
{
	unsigned int i;
	int len = 0;

	if ((engines & TESS_ENGINE_ALL) == TESS_ENGINE_ALL)
		return scnprintf(buf, size, "all");
	for (i = 0; i < ARRAY_SIZE(engine_names); i++)
		if (engines & BIT(i))
			len += scnprintf(buf + len, size - len, "%s%s", len ? "," : "",
					 engine_names[i]);
	return len;
}

/* WIDTHxHEIGHT[@HZ] */
static int words_mode(struct tess_words *words, struct tess_span text,
		      struct tess_display_mode *mode)
{
	static const struct tess_words_range width = { "width", 1, TESS_WORDS_PIXELS_MAX };
	static const struct tess_words_range height = { "height", 1, TESS_WORDS_PIXELS_MAX };
	static const struct tess_words_range refresh = { "refresh", 1, TESS_WORDS_REFRESH_MAX };
	struct tess_span size = tess_words_cut(&text, '@');
	struct tess_span wide = tess_words_cut(&size, 'x');
	int rc;

	rc = tess_words_number(words, &wide, &width, &mode->width);
	if (!rc && !size.column)
		rc = tess_words_refuse(words, &wide, "displays: width without height");
	if (!rc)
		rc = tess_words_number(words, &size, &height, &mode->height);
	if (!rc && text.column)
		rc = tess_words_number(words, &text, &refresh, &mode->refresh);
	return rc;
}

/**
 * tess_words_displays() - read N[@WIDTHxHEIGHT[@HZ]]
 * @words: words
 * @span: where it is
 * @number: result, of displays
 * @mode: result, of each; all zeroes if it is not there
 *
 * Return: 0, -EINVAL.
 */
int tess_words_displays(struct tess_words *words, const struct tess_span *span, u32 *number,
			struct tess_display_mode *mode)
{
	static const struct tess_words_range range = { "displays", 0, TESS_HEADS_MAX };
	struct tess_span rest = *span, first = tess_words_cut(&rest, '@');
	int rc;

	*mode = (struct tess_display_mode){ 0 };
	rc = tess_words_number(words, &first, &range, number);
	if (rc || !rest.column)
		return rc;
	if (!*number)
		return tess_words_refuse(words, &rest, "displays: 0 have no resolution");
	return words_mode(words, rest, mode);
}

/**
 * tess_words_put_displays() - write what tess_words_displays() reads
 * @number: of displays; what is more than can be is written as the most that can be read
 * @mode: of each
 * @buf: where to
 * @size: bytes of it
 *
 * Return: length without the NUL.
 */
int tess_words_put_displays(u32 number, const struct tess_display_mode *mode, char *buf,
			    size_t size)
{
	u32 n = min_t(u32, number, TESS_HEADS_MAX);
	int len = scnprintf(buf, size, " displays=%u", n);

	if (!n || !mode->width || !mode->height)
		return len;
	len += scnprintf(buf + len, size - len, "@%ux%u",
			 min_t(u32, mode->width, TESS_WORDS_PIXELS_MAX),
			 min_t(u32, mode->height, TESS_WORDS_PIXELS_MAX));
	if (mode->refresh)
		len += scnprintf(buf + len, size - len, "@%u",
				 min_t(u32, mode->refresh, TESS_WORDS_REFRESH_MAX));
	return len;
}
