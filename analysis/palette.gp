# palette.gp - colours that people with any kind of colour vision can tell apart (Okabe & Ito 2008), darkest
# contrast first; the yellow is left out, because thin lines of it vanish on white.
array palette_colour[7] = ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#56B4E9', '#E69F00', '#000000']
palette_grey = '#555555'

# Colours repeat after seven; point shapes, which follow another period, keep the curves apart.
colour_of(i) = palette_colour[1 + (i - 1) % 7]
array palette_point[6] = [7, 5, 9, 13, 11, 15]
point_of(i) = palette_point[1 + (i - 1) % 6]
