/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_WORDS_H_
#define _TESSERA_CORE_WORDS_H_

#include <linux/types.h>
#include <tessera/blueprint.h>

/* Words of one grammar at most */
#define TESS_WORDS_MAX	17
/* Of a display, at most */
#define TESS_WORDS_PIXELS_MAX	16384
#define TESS_WORDS_REFRESH_MAX	1000

/**
 * struct tess_span - a piece of the text
 * @text: first character
 * @len: number of characters
 * @line: from 1
 * @column: in the line, from 1; 0: there is no such piece
 */
struct tess_span {
	const char *text;
	size_t len;
	unsigned int line;
	unsigned int column;
};

/**
 * struct tess_words - words "name=value" that are being read
 * @at: the rest of the text
 * @line: of it, from 1
 * @column: of it, from 1
 * @is_file: there may be comments, and reasons name the line
 * @reason: where a refusal is explained; may be NULL
 * @value: of each word of the grammar that is there, without its name
 * @name: the words themselves
 */
struct tess_words {
	const char *at;
	unsigned int line;
	unsigned int column;
	bool is_file;
	struct tess_reason *reason;
	struct tess_span value[TESS_WORDS_MAX];
	struct tess_span name[TESS_WORDS_MAX];
};

/**
 * struct tess_words_range - a number that a word may have
 * @word: its name, for people
 * @min: least
 * @max: greatest
 */
struct tess_words_range {
	const char *word;
	u64 min;
	u64 max;
};

int tess_words_read(struct tess_words *words, const char *const *names, unsigned int count);
__printf(3, 4)
int tess_words_refuse(struct tess_words *words, const struct tess_span *where,
		      const char *fmt, ...);
bool tess_words_has(const struct tess_words *words, unsigned int word);
int tess_words_number(struct tess_words *words, const struct tess_span *span,
		      const struct tess_words_range *range, u32 *number);
int tess_words_bytes(struct tess_words *words, const struct tess_span *span,
		     const struct tess_words_range *range, u64 *bytes);
int tess_words_choice(struct tess_words *words, const struct tess_span *span,
		      const char *const *names, unsigned int count, u32 *choice);
int tess_words_engines(struct tess_words *words, const struct tess_span *span, u32 *engines);
int tess_words_displays(struct tess_words *words, const struct tess_span *span, u32 *number,
			struct tess_display_mode *mode);
int tess_words_put_displays(u32 number, const struct tess_display_mode *mode, char *buf,
			    size_t size);
int tess_words_put_engines(u32 engines, char *buf, size_t size);
struct tess_span tess_words_cut(struct tess_span *span, char at);

#endif
