/* lines.h - known answers on the standard input, one a line: what is asked, the name, and fields in hexadecimal. */
#ifndef LINES_H
#define LINES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FIELDS 8

struct field {
    unsigned char *bytes;
    size_t length;
};

struct line {
    const char *request, *name;
    size_t count;
    struct field fields[MOST_FIELDS];
    /* What the above point to. */
    char *text;
    unsigned long number;
};

static void fail(const struct line *line, const char *what)
{
    fprintf(stderr, "line %lu, %s of %s: %s\n", line->number, line->request, line->name, what);
    exit(1);
}

/* A copy of its own of exactly these bytes, so that sanitizers see what is read or written beyond. */
static unsigned char *memory(const unsigned char *bytes, size_t length)
{
    unsigned char *copy = malloc(length > 0 ? length : 1);
    if (copy == NULL)
        exit(2);
    if (bytes != NULL && length > 0)
        memcpy(copy, bytes, length);
    return copy;
}

static struct field bytes_of(const char *text)
{
    struct field field = { NULL, 0 };
    size_t i;
    if (strcmp(text, "-") != 0)
        field.length = strlen(text) / 2;
    field.bytes = memory(NULL, field.length);
    for (i = 0; i < field.length; i++) {
        const char digits[3] = { text[2 * i], text[2 * i + 1], 0 };
        field.bytes[i] = (unsigned char)strtoul(digits, NULL, 16);
    }
    return field;
}

/* The next line; 0 after the last. */
static int next_line(struct line *line)
{
    static unsigned long number;
    size_t room = 1 << 20, length = 0;
    char *word;
    int c;
    memset(line, 0, sizeof *line);
    line->text = malloc(room);
    line->number = ++number;
    while ((c = getchar()) != EOF && c != '\n') {
        if (length + 1 == room)
            line->text = realloc(line->text, room *= 2);
        if (line->text == NULL)
            exit(2);
        line->text[length++] = (char)c;
    }
    line->text[length] = '\0';
    if (length == 0) {
        free(line->text);
        return 0;
    }
    line->request = strtok(line->text, " ");
    line->name = strtok(NULL, " ");
    while (line->count < MOST_FIELDS && (word = strtok(NULL, " ")) != NULL)
        line->fields[line->count++] = bytes_of(word);
    return 1;
}

static void line_free(struct line *line)
{
    size_t i;
    for (i = 0; i < line->count; i++)
        free(line->fields[i].bytes);
    free(line->text);
}

/* A number in bytes, the lowest first. */
static unsigned long long number_of(const struct field *field)
{
    unsigned long long number = 0;
    size_t i;
    for (i = field->length; i-- > 0;)
        number = number << 8 | field->bytes[i];
    return number;
}

/* What outputs are full of before they are written. */
#define FRESH 0x5a

/* After a refusal: what is in the output is what was there, or zeros. */
static void released_nothing(const struct line *line, const unsigned char *found, size_t length)
{
    size_t i;
    for (i = 0; i < length; i++)
        if (found[i] != found[0] || (found[i] != FRESH && found[i] != 0))
            fail(line, "something of a refused message was released");
}

static int asks(const struct line *line, const char *request, size_t fields)
{
    if (strcmp(line->request, request) != 0)
        return 0;
    if (line->count != fields)
        fail(line, "the wrong number of fields");
    return 1;
}

static void compare(const struct line *line, const unsigned char *found, size_t length, const struct field *wanted,
    const char *what)
{
    if (length != wanted->length || memcmp(found, wanted->bytes, length) != 0)
        fail(line, what);
}

#endif
