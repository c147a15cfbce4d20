// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: the screen of tesseractl top
 *
 * The lines of both tables make one long page that can be scrolled; the first lines of
 * the screen stay. It is drawn from scratch, curses finds out what really changed.
 */
#include <curses.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "find.h"
#include "follow.h"
#include "signals.h"
#include "top.h"

#define BAR_WIDTH 20
#define HEAD_LINES 1
#define CTRL_L 12

/* From the first sample to the second, which is shown at once */
#define FIRST_MS 200

enum screen_show { SHOW_BOTH, SHOW_SLICES, SHOW_VGPUS, SHOW_COUNT };

/**
 * struct screen - what is on the screen
 * @top: options; sort and interval can be changed
 * @signals: from signals_open()
 * @now: latest sample
 * @before: the one before it
 * @paused: no new samples are taken
 * @help: the keys are explained instead
 * @hide_free: free slices are left out
 * @quit: end
 * @show: which tables
 * @first: line of the page that is on top
 * @lines: of the page, when it was drawn last
 */
struct screen {
	struct top top;
	int signals;
	struct sample now, before;
	bool paused, help, hide_free, quit;
	enum screen_show show;
	int first, lines;
};

static const char *const help_text[] = {
	"Keys",
	"",
	"  q        quit",
	"  space p  pause, continue",
	"  n u w d s m",
	"           sort the vGPUs by name, utilization, weight, queue depth, switches, moves",
	"  f        hide or show free slices",
	"  Tab      slices and vGPUs, slices, vGPUs",
	"  + -      refresh more, less often",
	"  arrows, Page Up, Page Down, Home",
	"           scroll",
	"  h ?      this text",
	"",
	"UTIL   part of the time busy      RUN, WAIT  part of its slices' time: had, waited for",
	"QUEUE  packets, on average        SHDR, MEM  use of shader cores, of memory",
	"SW/s   switches per second        MOVES      moves to other slices so far",
};

#define HELP_LINES ((int)(sizeof(help_text) / sizeof(help_text[0])))

/* A line of the page, if it is on the screen now */
static void put_line(struct screen *screen, const char *text, bool head)
{
	int y = HEAD_LINES + screen->lines++ - screen->first;

	if (y < HEAD_LINES || y >= LINES)
		return;
	if (head)
		attron(A_REVERSE);
	mvhline(y, 0, ' ', COLS);
	mvaddnstr(y, 0, text, COLS);
	attroff(A_REVERSE);
}

static void put_table(struct screen *screen, const struct table *table)
{
	char line[TABLE_LINE];
	unsigned int i;

	if (!table || !table_ok(table)) {
		put_line(screen, "out of memory", false);
		return;
	}
	for (i = 0; i < table_rows(table); i++)
		put_line(screen, table_line(table, i, line), !i);
}

static void put_tables(struct screen *screen, const struct rates *rates)
{
	const struct pool *pool = &screen->now.pool;
	struct table *table;

	if (screen->show != SHOW_VGPUS) {
		table = top_slices(pool, rates, !screen->hide_free, BAR_WIDTH);
		put_table(screen, table);
		table_free(table);
	}
	if (screen->show == SHOW_BOTH)
		put_line(screen, "", false);
	if (screen->show != SHOW_SLICES) {
		table = top_vgpus(pool, rates, true);
		put_table(screen, table);
		table_free(table);
	}
}

static void put_head(const struct screen *screen, const struct rates *rates)
{
	char clock[16] = "", line[TABLE_LINE];
	time_t t = time(NULL);
	struct tm tm;

	if (localtime_r(&t, &tm))
		strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	snprintf(line, sizeof(line),
		 "tesseractl top %s  every %g s  %u GPU%s  %u slices  "
		 "%u vGPUs  by %s%s%s  h: help",
		 clock, screen->top.interval_ms / 1000.0, screen->now.pool.gpu_count,
		 screen->now.pool.gpu_count == 1 ? "" : "s", rates->slice_count, rates->vgpu_count,
		 sample_sort_name(screen->top.sort), screen->paused ? "  PAUSED" : "",
		 screen->now.pool.denied ? "  only root sees activity" : "");
	attron(A_BOLD);
	mvaddnstr(0, 0, line, COLS);
	attroff(A_BOLD);
}

static void put_help(struct screen *screen)
{
	int i;

	for (i = 0; i < HELP_LINES; i++)
		put_line(screen, help_text[i], false);
}

static void draw(struct screen *screen)
{
	struct rates rates;

	erase();
	screen->lines = 0;
	if (sample_rates(&screen->now, &screen->before, screen->top.sort, &rates)) {
		mvaddstr(0, 0, "out of memory");
	} else {
		put_head(screen, &rates);
		if (screen->help)
			put_help(screen);
		else
			put_tables(screen, &rates);
		rates_free(&rates);
	}
	move(LINES - 1, 0);
	refresh();
}

static void scroll_by(struct screen *screen, int lines)
{
	int last = screen->lines - (LINES - HEAD_LINES);

	screen->first += lines;
	if (screen->first > last)
		screen->first = last;
	if (screen->first < 0)
		screen->first = 0;
}

static void change_interval(struct screen *screen, int numerator, int denominator)
{
	long ms = (long)screen->top.interval_ms * numerator / denominator;

	if (ms >= FOLLOW_MS_MIN && ms <= FOLLOW_MS_MAX)
		screen->top.interval_ms = (int)ms;
}

static bool sort_key(struct screen *screen, int key)
{
	static const char keys[SORT_COUNT] = {
		[SORT_NAME] = 'n',  [SORT_UTILIZATION] = 'u', [SORT_WEIGHT] = 'w',
		[SORT_QUEUE] = 'd', [SORT_SWITCHES] = 's',    [SORT_MOVES] = 'm',
	};
	enum sample_sort sort;

	for (sort = 0; sort < SORT_COUNT; sort++) {
		if (keys[sort] != key)
			continue;
		screen->top.sort = sort;
		return true;
	}
	return false;
}

static bool scroll_key(struct screen *screen, int key)
{
	int page = LINES - HEAD_LINES - 1;

	switch (key) {
	case KEY_UP:
		scroll_by(screen, -1);
		return true;
	case KEY_DOWN:
		scroll_by(screen, 1);
		return true;
	case KEY_PPAGE:
		scroll_by(screen, -page);
		return true;
	case KEY_NPAGE:
		scroll_by(screen, page);
		return true;
	case KEY_HOME:
		screen->first = 0;
		return true;
	default:
		return false;
	}
}

static void take_key(struct screen *screen, int key)
{
	if (sort_key(screen, key) || scroll_key(screen, key))
		return;
	switch (key) {
	case 'q':
		screen->quit = true;
		break;
	case ' ':
	case 'p':
		screen->paused = !screen->paused;
		break;
	case 'h':
	case '?':
		screen->help = !screen->help;
		screen->first = 0;
		break;
	case 'f':
		screen->hide_free = !screen->hide_free;
		break;
	case '\t':
		screen->show = (screen->show + 1) % SHOW_COUNT;
		screen->first = 0;
		break;
	case '+':
		change_interval(screen, 1, 2);
		break;
	case '-':
		change_interval(screen, 2, 1);
		break;
	case CTRL_L:
		clear();
		break;
	}
}

/* Handle keys until it is time for the next sample */
static void wait_keys(struct screen *screen)
{
	long long until = signals_clock_ms() + screen->top.interval_ms, left;
	int key, why;

	do {
		left = until - signals_clock_ms();
		why = signals_wait(screen->signals, STDIN_FILENO, left > 0 ? (int)left : 0);
		if (why == WAIT_SIGNAL)
			screen->quit = true;
		key = why == WAIT_INPUT ? getch() : ERR;
		/* Readable, and nothing to read: the terminal is gone */
		if (why == WAIT_INPUT && key == ERR && !isatty(STDIN_FILENO))
			screen->quit = true;
		for (; key != ERR; key = getch())
			take_key(screen, key);
		if (why == WAIT_INPUT && !screen->quit)
			draw(screen);
	} while (why != WAIT_TIME && !screen->quit);
}

static int next_sample(struct screen *screen)
{
	struct sample next;
	int rc;

	rc = sample_read(screen->top.cli->sysfs, &next);
	if (rc)
		return rc;
	pool_free(&screen->before.pool);
	screen->before = screen->now;
	screen->now = next;
	return 0;
}

static int run_screen(struct screen *screen)
{
	int rc = 0;

	while (!rc) {
		draw(screen);
		wait_keys(screen);
		if (screen->quit)
			break;
		if (!screen->paused)
			rc = next_sample(screen);
	}
	return rc;
}

static SCREEN *open_terminal(const struct cli *cli)
{
	SCREEN *terminal = newterm(NULL, stdout, stdin);

	if (!terminal) {
		cli_error(cli, "the terminal type in TERM is unknown: set another one, or use "
			       "--batch N or --json");
		return NULL;
	}
	set_term(terminal);
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	return terminal;
}

/* A message would be lost on the screen: errors before it opens, and after it closed */
static int live(struct screen *screen)
{
	const struct cli *cli = screen->top.cli;
	SCREEN *terminal;
	int rc;

	rc = next_sample(screen);
	if (rc)
		return find_pool_error(cli, rc);
	signals_wait(screen->signals, -1, FIRST_MS);
	rc = next_sample(screen);
	if (rc)
		return find_pool_error(cli, rc);
	terminal = open_terminal(cli);
	if (!terminal)
		return CLI_FAILED;
	rc = run_screen(screen);
	endwin();
	delscreen(terminal);
	return rc ? find_pool_error(cli, rc) : CLI_OK;
}

int top_screen(const struct top *top)
{
	struct screen screen = { .top = *top };
	int status;

	screen.signals = signals_open();
	if (screen.signals < 0)
		return cli_error(top->cli, "signalfd: %s", strerror(-screen.signals));
	status = live(&screen);
	pool_free(&screen.before.pool);
	pool_free(&screen.now.pool);
	close(screen.signals);
	return status;
}
