"""palette.py SOURCE - the colours of figures are told apart with every kind of colour vision.

Colours are compared by CIEDE2000 (Sharma, Wu & Dalal 2005), as seen with normal vision and with complete deuteranopia,
protanopia and tritanopia (Machado, Oliveira & Fernandes 2009, severity 1).
"""
import itertools
import math
import re
import sys

SEEN = {
    "normal vision": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
LEAST = {"normal vision": 25, "deuteranopia": 14, "protanopia": 14, "tritanopia": 13}
TO_XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))


def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector)) for row in matrix]


def linear(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]


def lab(rgb):
    xyz = times(TO_XYZ, [min(max(c, 0), 1) for c in rgb])
    f = [math.cbrt(v) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (xyz[0] / 0.9505, xyz[1], xyz[2] / 1.089)]
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


def ciede2000(one, other):
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    g = 0.5 * (1 - math.sqrt(mean**7 / (mean**7 + 25**7)))
    a1, a2 = a1 * (1 + g), a2 * (1 + g)
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1, h2 = math.degrees(math.atan2(b1, a1)) % 360, math.degrees(math.atan2(b2, a2)) % 360
    turn = h2 - h1 if abs(h2 - h1) <= 180 else h2 - h1 - math.copysign(360, h2 - h1)
    if c1 * c2 == 0:
        turn = 0
    hue = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2))
    l, c = (l1 + l2) / 2, (c1 + c2) / 2
    h = h1 + h2 if c1 * c2 == 0 else (h1 + h2) / 2 if abs(h1 - h2) <= 180 else ((h1 + h2 + 360) / 2) % 360
    t = (1 - 0.17 * math.cos(math.radians(h - 30)) + 0.24 * math.cos(math.radians(2 * h)) +
         0.32 * math.cos(math.radians(3 * h + 6)) - 0.2 * math.cos(math.radians(4 * h - 63)))
    sl = 1 + 0.015 * (l - 50)**2 / math.sqrt(20 + (l - 50)**2)
    sc, sh = 1 + 0.045 * c, 1 + 0.015 * c * t
    rt = -2 * math.sqrt(c**7 / (c**7 + 25**7)) * math.sin(math.radians(60 * math.exp(-((h - 275) / 25)**2)))
    x, y, z = (l2 - l1) / sl, (c2 - c1) / sc, hue / sh
    return math.sqrt(x * x + y * y + z * z + rt * y * z)


def closest(colours, matrix):
    seen = {colour: lab(times(matrix, linear(colour))) for colour in colours}
    return min((ciede2000(seen[a], seen[b]), a, b) for a, b in itertools.combinations(colours, 2))


def main():
    source = open(sys.argv[1] + "/python/src/warpsweep/gnuplot.py", encoding="utf-8").read()
    colours = re.findall(r"#[0-9A-Fa-f]{6}", re.search(r"^COLOURS = \((.*)\)", source, re.M).group(1))
    bad = len(colours) != 8
    for name, matrix in SEEN.items():
        distance, a, b = closest(colours, matrix)
        print(f"{name}: {a} and {b} are closest: {distance:.1f}, at least {LEAST[name]} wanted")
        bad = bad or distance < LEAST[name]
    # The check can fail: green and pink of Okabe & Ito 2008, which this palette had.
    if closest(["#009E73", "#CC79A7"], SEEN["deuteranopia"])[0] >= 16.5:
        sys.exit("green and pink pass as different with deuteranopia")
    # A published pair (Sharma et al. 2005, no. 1).
    if abs(ciede2000((50, 2.6772, -79.7751), (50, 0, -82.7485)) - 2.0425) > 1e-4:
        sys.exit("CIEDE2000 is wrong")
    sys.exit(bad)


main()
