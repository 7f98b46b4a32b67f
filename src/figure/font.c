#include "figure/font.h"

#include <fontconfig/fontconfig.h>
#include <ft2build.h>
#include <math.h>
#include FT_FREETYPE_H
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"

struct font {
    FT_Library library;
    FT_Face face;
    double stretch; /* of widths */
};

/* The font file and face that fontconfig finds for a family. */
static char *find_file(const char *family, int *index)
{
    char *found = NULL;
    FcConfig *config = FcInitLoadConfigAndFonts();
    FcPattern *wanted = FcNameParse((const FcChar8 *)family);
    FcResult result;
    FcConfigSubstitute(config, wanted, FcMatchPattern);
    FcDefaultSubstitute(wanted);
    FcPattern *match = FcFontMatch(config, wanted, &result);
    FcChar8 *file;
    if (match && FcPatternGetString(match, FC_FILE, 0, &file) == FcResultMatch) {
        found = memory_text((const char *)file);
        if (FcPatternGetInteger(match, FC_INDEX, 0, index) != FcResultMatch)
            *index = 0;
    }
    if (match)
        FcPatternDestroy(match);
    FcPatternDestroy(wanted);
    FcConfigDestroy(config);
    return found;
}

struct font *font_open(struct error *error)
{
    int index = 0;
    struct font *font = memory_new(1, sizeof *font);
    font->stretch = 1;
    char *file = find_file(FONT_FAMILY, &index);
    if (!file || FT_Init_FreeType(&font->library) != 0 ||
        FT_New_Face(font->library, file, index, &font->face) != 0 || !FT_IS_SCALABLE(font->face)) {
        error_set(error, ERROR_ENVIRONMENT,
                  "cannot load a font to measure texts (fontconfig's %s is %s): install fonts-dejavu-core",
                  FONT_FAMILY, file ? file : "none");
        free(file);
        font_close(font);
        return NULL;
    }
    free(file);
    return font;
}

void font_close(struct font *font)
{
    if (!font)
        return;
    if (font->face)
        FT_Done_Face(font->face);
    if (font->library)
        FT_Done_FreeType(font->library);
    free(font);
}

void font_stretch(struct font *font, double factor)
{
    font->stretch = factor;
}

/* The next code point of a UTF-8 text; a broken byte counts as one. */
static uint32_t next(const unsigned char **at)
{
    const unsigned char *p = *at;
    int more = p[0] >= 0xf0 ? 3 : p[0] >= 0xe0 ? 2 : p[0] >= 0xc0 ? 1 : 0;
    uint32_t code = more ? p[0] & (0x3fu >> more) : p[0];
    *at = p + 1;
    for (; more && (**at & 0xc0) == 0x80; more--, (*at)++)
        code = code << 6 | (**at & 0x3fu);
    return code;
}

/* Inches of a design unit. */
static double unit(const struct font *font, double points)
{
    return points / 72 / font->face->units_per_EM;
}

static FT_GlyphSlot load(const struct font *font, uint32_t code)
{
    FT_Load_Glyph(font->face, FT_Get_Char_Index(font->face, code), FT_LOAD_NO_SCALE);
    return font->face->glyph;
}

double font_width(const struct font *font, const char *text, double points)
{
    double width = 0;
    for (const unsigned char *at = (const unsigned char *)text; *at;)
        width += (double)load(font, next(&at))->metrics.horiAdvance;
    return font->stretch * width * unit(font, points);
}

double font_ascent(const struct font *font, double points)
{
    return (double)load(font, 'l')->metrics.horiBearingY * unit(font, points);
}

double font_descent(const struct font *font, double points)
{
    const FT_Glyph_Metrics *lowest = &load(font, 'p')->metrics;
    return (double)(lowest->height - lowest->horiBearingY) * unit(font, points);
}

struct font_ink font_ink(const struct font *font, const char *text, double points)
{
    struct font_ink ink = {INFINITY, -INFINITY, INFINITY, -INFINITY};
    double pen = 0, scale = unit(font, points);
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        const FT_Glyph_Metrics *glyph = &load(font, next(&at))->metrics;
        if (glyph->width && glyph->height) {
            double left = pen + (double)glyph->horiBearingX, top = (double)glyph->horiBearingY;
            ink.left = fmin(ink.left, left * scale);
            ink.right = fmax(ink.right, (left + (double)glyph->width) * scale);
            ink.top = fmax(ink.top, top * scale);
            ink.bottom = fmin(ink.bottom, (top - (double)glyph->height) * scale);
        }
        pen += (double)glyph->horiAdvance;
    }
    return isfinite(ink.left) ? ink : (struct font_ink){0};
}
