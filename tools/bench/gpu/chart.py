# SPDX-License-Identifier: GPL-2.0-or-later
"""The chart of make bench: throughput side by side, cost of a completion interrupt."""

from png import Picture, text_width

COLORS = ((148, 163, 184), (96, 140, 200), (34, 110, 90), (200, 130, 60))
LINE = (210, 210, 210)
WIDTH, LEFT, BAR = 1000, 240, 17


def legend(pic, y, names):
    x = LEFT
    for name, color in zip(names, COLORS):
        pic.rect(x, y, 14, 14, color)
        pic.text(x + 20, y, name)
        x += 40 + text_width(name)


def label(pic, y, rows, text):
    pic.text(LEFT - 10 - text_width(text), y + rows * BAR // 2 - 7, text)


def throughput(pic, y, loads, machines):
    """A bar for each machine, in percent of the first one's throughput."""
    scale = (WIDTH - LEFT - 110) / 125
    bottom = y + len(loads) * (len(machines) * BAR + 10)
    for percent in (0, 25, 50, 75, 100, 125):
        pic.rect(LEFT + percent * scale, y, 1, bottom - y, LINE)
        text = f"{percent}%"
        pic.text(LEFT + percent * scale - text_width(text) // 2, bottom + 4, text)
    for name, values in loads:
        label(pic, y, len(machines), name)
        for value, color in zip(values, COLORS):
            pic.rect(LEFT, y, min(value * 100, 130) * scale, BAR - 2, color)
            y += BAR
        y += 10
    return bottom + 30


def costs(pic, y, groups, routes):
    """Microseconds of a completion interrupt for each route, linear, with numbers."""
    most = max(v for _name, values in groups for v in values)
    for name, values in groups:
        label(pic, y, len(routes), name)
        for value, color in zip(values, COLORS[2:]):
            width = value / most * (WIDTH - LEFT - 140)
            pic.rect(LEFT, y, width, BAR - 2, color)
            pic.text(LEFT + width + 8, y - 1, f"{value:.1f} us")
            y += BAR
        y += 10
    return y


def draw(path, loads, machines, groups, routes):
    """@loads and @groups: [(name, [value per machine or route])]"""
    height = 190 + len(loads) * (len(machines) * BAR + 10) + len(groups) * (2 * BAR + 10)
    pic = Picture(WIDTH, height)
    pic.text(20, 16, f"throughput, {machines[0]}: 100%")
    legend(pic, 42, machines)
    y = throughput(pic, 70, loads, machines)
    pic.text(20, y + 10, "host cost of a completion interrupt")
    x = LEFT
    for name, color in zip(routes, COLORS[2:]):
        pic.rect(x, y + 36, 14, 14, color)
        pic.text(x + 20, y + 36, name)
        x += 40 + text_width(name)
    costs(pic, y + 62, groups, routes)
    pic.write(path)
