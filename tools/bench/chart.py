# SPDX-License-Identifier: GPL-2.0-or-later
"""Charts of benchmarks: panels of horizontal bars, one above the other, drawn by gnuplot."""

import dataclasses
import math
import subprocess

COLORS = ("#7f8fa6", "#4878b0", "#2a8a5f", "#d08a2e", "#8a5a9e", "#b8453c")
WIDTH, LEFT, RIGHT = 1000, 210, 90
# Heights: title of the chart; of a panel what is above and below its bars; a bar and a gap
TITLE, ABOVE, BELOW, BAR, GAP = 44, 62, 56, 15, 11
NOTHING = "not measured"


@dataclasses.dataclass
class Panel:
    """Bars that share an axis; groups: [(name, [value or None of each series])]."""

    title: str
    unit: str
    series: list
    groups: list
    colors: tuple = COLORS
    # Axis of powers of ten
    log: bool = False
    # A line across all bars
    mark: float | None = None

    def values(self):
        return [v for _name, values in self.groups for v in values if v is not None]

    def bounds(self):
        """Of the axis, with room for numbers behind the longest bar."""
        found = self.values() + ([] if self.mark is None else [self.mark])
        if self.log:
            found = [v for v in found if v > 0] or [1]
            return (10 ** (math.floor(math.log10(min(found))) - 0.3),
                    max(found) * (max(found) / min(found)) ** 0.12 * 1.5)
        return 0, max([*found, 0]) * 1.12 or 1

    def bar_rows(self):
        return len(self.groups) * (len(self.series) * BAR + GAP) + GAP


def size(panels):
    """(width, height) of the picture."""
    return WIDTH, TITLE + sum(ABOVE + p.bar_rows() + BELOW for p in panels)


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def number(value):
    """What is written behind a bar."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def bars(panel):
    """(top of the bar, series, value) of each, pixels from the top; the middle of each group."""
    found, middles, y = [], [], GAP
    for _name, values in panel.groups:
        middles.append(y + len(panel.series) * BAR / 2)
        for i, value in enumerate(values):
            found.append((y, i, value))
            y += BAR
        y += GAP
    return found, middles


def block(name, rows):
    """Data of gnuplot; what has no rows does not exist there."""
    return [f"${name} << EOD", *rows, "EOD"] if rows else []


def panel_script(panel, index, top, height):
    low, high = panel.bounds()
    found, middles = bars(panel)
    lines, plots = [], []
    for i, name in enumerate(panel.series):
        have = [(y, max(v, low)) for y, series, v in found if series == i and v is not None]
        data = f"bars{index}_{i}"
        lines += block(data, [f"{v} {y} {low} {v} {y + 1} {y + BAR - 1}" for y, v in have])
        # A series without values is in the legend as well.
        source = f"${data} using 1:2:3:4:5:6" if have else "1/0"
        plots.append(f"{source} with boxxyerror fill solid noborder "
                     f"linecolor rgb {quoted(panel.colors[i])} title {quoted(name)}")
    for data, color, rows in (
            ("numbers", "#303030", [(y, max(v, low), number(v))
                                    for y, _i, v in found if v is not None]),
            ("missing", "#a0a0a0", [(y, low, NOTHING) for y, _i, v in found if v is None])):
        lines += block(f"{data}{index}", [f"{v} {y + BAR / 2} {quoted(text)}"
                                           for y, v, text in rows])
        if rows:
            plots.append(f"${data}{index} using 1:2:3 with labels left offset character 0.4,0 "
                         f"font ',8' textcolor rgb '{color}' notitle")
    tics = ", ".join(f"{quoted(name)} {y}" for (name, _v), y in zip(panel.groups, middles))
    bottom = top - ABOVE - panel.bar_rows()
    return [
        *lines,
        "unset label; unset arrow; unset logscale",
        *(["set logscale x"] if panel.log else []),
        f"set format x '{'%.0s%c' if panel.log else '%g'}'",
        f"set xrange [{low}:{high}]; set yrange [{panel.bar_rows()}:0]",
        f"set ytics ({tics}) scale 0",
        f"set lmargin at screen {LEFT / WIDTH}; set rmargin at screen {1 - RIGHT / WIDTH}",
        f"set tmargin at screen {(top - ABOVE) / height}; set bmargin at screen {bottom / height}",
        f"set label {quoted(panel.title)} at screen {20 / WIDTH}, screen {(top - 16) / height} "
        "font ',11'",
        f"set xlabel {quoted(panel.unit)}",
        f"set key at screen {LEFT / WIDTH}, screen {(top - 46) / height} left center horizontal "
        "Left reverse samplen 1.2 width 1 noautotitle",
        *([] if panel.mark is None else
          [f"set arrow from first {panel.mark}, graph 0 to first {panel.mark}, graph 1 back "
           "nohead dashtype 2 linecolor rgb '#b0b0b0'"]),
        "plot " + ", ".join(plots),
    ]


def script(path, title, panels):
    width, height = size(panels)
    lines = [
        f"set terminal pngcairo noenhanced size {width},{height} font 'DejaVu Sans,10' "
        "background rgb 'white'",
        f"set output {quoted(path)}",
        "set multiplot",
        f"set label 1 {quoted(title)} at screen {20 / WIDTH}, screen {1 - 24 / height} "
        "font 'DejaVu Sans Bold,13'",
        "set border 1 linecolor rgb '#808080'; set tics textcolor rgb '#303030' nomirror",
        "set grid xtics linetype 1 linecolor rgb '#e4e4e4'",
    ]
    top = height - TITLE
    for index, panel in enumerate(panels):
        # The title of the chart is drawn with the first panel.
        text = panel_script(panel, index, top, height)
        lines += text if index else [t.replace("unset label; ", "") for t in text]
        top -= ABOVE + panel.bar_rows() + BELOW
    return "\n".join([*lines, "unset multiplot", "set output", ""])


def draw(path, title, panels):
    """A PNG file; raises if gnuplot is not there or says that something is wrong."""
    subprocess.run(["gnuplot"], input=script(path, title, panels), text=True, check=True)
