/* Calls of shipped loops: arrays, numbers and tuples of Python as the words of one block, without numba.

An entry of machine code is `int32_t entry(int64_t *words)`. A number is a word, an array its address, its lengths and
its strides, a tuple its parts. The entry writes its result to words[0] and the kind of it to words[1].

This is an extension of Python's stable ABI (3.11). The few declarations it needs of Python and NumPy stand here, so that
one compiler without any headers builds it for every system; tests compare them with the arrays of the running NumPy.
*/

typedef __SIZE_TYPE__ size;
typedef __INTPTR_TYPE__ length;
typedef __INT64_TYPE__ word;
typedef struct Type Type;
typedef struct Object { length references; Type *type; } Object;
typedef Object *(*Fast)(Object *, Object *const *, length);
typedef struct { const char *name; void *function; int flags; const char *text; } Method;
typedef struct { Object base; void *init; length index; Object *copy; } ModuleBase;
typedef struct {
    ModuleBase base; const char *name, *text; length space; Method *methods; void *slots, *traverse, *clear, *release;
} Module;
typedef struct { /* PyArrayObject_fields */
    Object base; char *data; int dimensions; length *lengths, *strides; Object *owner, *dtype; int flags;
} Array;

#if defined(_WIN32)
#define FROM_PYTHON __declspec(dllimport) extern
#define EXPORTED __declspec(dllexport)
#else
#define FROM_PYTHON extern
#define EXPORTED __attribute__((visibility("default")))
#endif

FROM_PYTHON Type PyLong_Type, PyFloat_Type, PyBool_Type;
FROM_PYTHON Object _Py_NoneStruct;
FROM_PYTHON Object *PyModule_Create2(Module *, int);
FROM_PYTHON Object *PyCFunction_NewEx(Method *, Object *, Object *);
FROM_PYTHON Object *PyTuple_New(length);
FROM_PYTHON int PyTuple_SetItem(Object *, length, Object *);
FROM_PYTHON Object *PyTuple_GetItem(Object *, length);
FROM_PYTHON length PyTuple_Size(Object *);
FROM_PYTHON Object *PyDict_New(void);
FROM_PYTHON int PyDict_Next(Object *, length *, Object **, Object **);
FROM_PYTHON Object *PyDict_GetItemWithError(Object *, Object *);
FROM_PYTHON int PyDict_SetItem(Object *, Object *, Object *);
FROM_PYTHON Object *PyBytes_FromStringAndSize(const char *, length);
FROM_PYTHON char *PyBytes_AsString(Object *);
FROM_PYTHON Object *PyLong_FromLongLong(long long);
FROM_PYTHON long long PyLong_AsLongLong(Object *);
FROM_PYTHON Object *PyFloat_FromDouble(double);
FROM_PYTHON double PyFloat_AsDouble(Object *);
FROM_PYTHON Object *PyBool_FromLong(long);
FROM_PYTHON Object *PyObject_Call(Object *, Object *, Object *);
FROM_PYTHON Object *PyObject_CallFunction(Object *, const char *, ...);
FROM_PYTHON Object *PyErr_Occurred(void);
FROM_PYTHON Object *PyErr_Format(Object *, const char *, ...);
FROM_PYTHON void Py_IncRef(Object *);
FROM_PYTHON void Py_DecRef(Object *);
FROM_PYTHON void *PyEval_SaveThread(void);
FROM_PYTHON void PyEval_RestoreThread(void *);
FROM_PYTHON void *PyCapsule_GetPointer(Object *, const char *);
FROM_PYTHON int PyType_IsSubtype(Type *, Type *);
FROM_PYTHON unsigned long PyType_GetFlags(Type *);

enum { WORDS = 160, MARKS = 2 * WORDS, FASTCALL = 0x80, IS_LONG = 1 << 24, IS_TUPLE = 1 << 26, CONTIGUOUS = 1 };
static const word LAYOUT = 1ll << 62; /* of a mark that says how an array is laid out */
typedef int Entry(word *);
typedef struct { int words, marks; word word[WORDS], mark[MARKS]; } Block;

static Type *array_type; /* numpy.ndarray */
static Object *fail; /* raises what a loop has raised */
static Object *type_error; /* TypeError: where numba is loaded, llvmlite takes PyExc_TypeError for the class itself */
static Object *(*new_array)(Type *, Object *, int, length *, length *, void *, int, Object *); /* PyArray_NewFromDescr */

/* Append an argument to a block: what it holds as words, and what says of which kind it is as marks. */
static int append(Block *block, Object *argument)
{
    Type *type = argument->type;
    if (block->words + 16 > WORDS || block->marks + 16 > MARKS)
        return PyErr_Format(type_error, "a loop takes at most %d words", WORDS), -1;
    if (type == array_type || PyType_IsSubtype(type, array_type)) {
        Array *array = (Array *)argument;
        if (array->dimensions > 4)
            return PyErr_Format(type_error, "a loop takes arrays of at most 4 dimensions"), -1;
        block->mark[block->marks++] = (word)array->dtype;
        block->mark[block->marks++] = LAYOUT | array->dimensions << 1 | (array->flags & CONTIGUOUS);
        block->word[block->words++] = (word)array->data;
        for (int axis = 0; axis < array->dimensions; axis++)
            block->word[block->words++] = array->lengths[axis];
        for (int axis = 0; axis < array->dimensions; axis++)
            block->word[block->words++] = array->strides[axis];
        return 0;
    }
    block->mark[block->marks++] = (word)type;
    if (PyType_GetFlags(type) & IS_TUPLE) {
        length parts = PyTuple_Size(argument);
        block->mark[block->marks++] = parts;
        for (length part = 0; part < parts; part++)
            if (append(block, PyTuple_GetItem(argument, part)))
                return -1;
        return 0;
    }
    if (type == &PyFloat_Type || PyType_IsSubtype(type, &PyFloat_Type)) {
        union { double number; word word; } bits = {PyFloat_AsDouble(argument)};
        block->word[block->words++] = bits.word;
        return 0;
    }
    word number = PyLong_AsLongLong(argument);
    block->word[block->words++] = number;
    return number == -1 && PyErr_Occurred() ? -1 : 0;
}

/* Run an entry, unless it is brief without Python's lock, and return its result. */
static Object *run(word entry, word *words, int brief)
{
    void *thread = brief ? 0 : PyEval_SaveThread(); /* and back: 24 of 64 ns that a call of one lane takes */
    int status = ((Entry *)entry)(words);
    if (thread)
        PyEval_RestoreThread(thread);
    if (status)
        return PyObject_CallFunction(fail, "iL", status, (long long)words[0]);
    union { word word; double number; } result = {words[0]};
    switch (words[1]) {
    case 'i': return PyLong_FromLongLong(result.word);
    case 'f': return PyFloat_FromDouble(result.number);
    case 'b': return PyBool_FromLong((long)(result.word & 1));
    }
    Py_IncRef(&_Py_NoneStruct);
    return &_Py_NoneStruct;
}

static Object *tuple_of(Object *const *arguments, length number)
{
    Object *tuple = PyTuple_New(number);
    for (length index = 0; tuple && index < number; index++) {
        Py_IncRef(arguments[index]);
        PyTuple_SetItem(tuple, index, arguments[index]);
    }
    return tuple;
}

static Object *called(Object *function, Object *const *arguments, length number)
{
    Object *tuple = tuple_of(arguments, number), *result = tuple ? PyObject_Call(function, tuple, 0) : 0;
    if (tuple)
        Py_DecRef(tuple);
    return result;
}

/* Call a loop; `self` is (known, resolve, otherwise): entries by the marks of their arguments, and two functions. What
`resolve` finds is (address, what the marks point to); it is asked again where there is no entry yet, address 0. */
static Object *call(Object *self, Object *const *arguments, length number)
{
    Block block;
    block.words = block.marks = 0;
    for (length index = 0; index < number; index++)
        if (append(&block, arguments[index]))
            return 0;
    Object *known = PyTuple_GetItem(self, 0), *entry = 0;
    Object *key = PyBytes_FromStringAndSize((char *)block.mark, block.marks * (length)sizeof(word));
    if (!key)
        return 0;
    entry = PyDict_GetItemWithError(known, key);
    word address = entry ? PyLong_AsLongLong(PyTuple_GetItem(entry, 0)) : 0;
    if (!entry && !PyErr_Occurred()) {
        entry = called(PyTuple_GetItem(self, 1), arguments, number);
        if (entry) {
            address = PyLong_AsLongLong(PyTuple_GetItem(entry, 0));
            if (address)
                PyDict_SetItem(known, key, entry);
            Py_DecRef(entry);
        }
    }
    Py_DecRef(key);
    if (!entry)
        return 0;
    return address ? run(address, block.word, 0) : called(PyTuple_GetItem(self, 2), arguments, number);
}

typedef struct { word entry; int words, marks, later, brief; word word[WORDS], mark[MARKS]; } Bound;

/* Call a loop of which the first arguments are known; `self` is (bytes of a Bound, what it points to). */
static Object *call_bound(Object *self, Object *const *arguments, length number)
{
    Bound *bound = (Bound *)PyBytes_AsString(PyTuple_GetItem(self, 0));
    Block block;
    block.words = bound->words;
    block.marks = 0;
    for (int index = 0; index < bound->words; index++)
        block.word[index] = bound->word[index];
    for (length index = 0; index < number; index++)
        if (append(&block, arguments[index]))
            return 0;
    int same = number == bound->later && block.marks == bound->marks;
    for (int index = 0; same && index < block.marks; index++) {
        word mark = bound->mark[index], anyhow = (mark & LAYOUT) && !(mark & CONTIGUOUS); /* code for all strides */
        same = block.mark[index] == mark || (anyhow && block.mark[index] == (mark | CONTIGUOUS));
    }
    if (same)
        return run(bound->entry, block.word, bound->brief);
    return called(PyTuple_GetItem(self, 2), arguments, number);
}

/* Return copies of arrays in a new dict; `self` is the dict of the arrays. Instead of their method `copy` and a dict of
Python's, which take 300 ns for two arrays: 185. */
static Object *copy(Object *self, Object *const *arguments, length number)
{
    Object *made = PyDict_New(), *name, *value;
    length place = 0;
    while (made && PyDict_Next(self, &place, &name, &value)) {
        Array *array = (Array *)value;
        Py_IncRef(array->dtype); /* the new array takes it */
        Array *copied = (Array *)new_array(array_type, array->dtype, array->dimensions, array->lengths, 0, 0, 0, 0);
        if (copied)
            __builtin_memcpy(copied->data, array->data, (size)(array->lengths[0] * array->strides[0]));
        int failed = !copied || PyDict_SetItem(made, name, (Object *)copied);
        if (copied)
            Py_DecRef((Object *)copied);
        if (failed) {
            Py_DecRef(made);
            return 0;
        }
    }
    return made;
}

static Method copy_method = {"copy", (void *)copy, FASTCALL, "Copy arrays."};
static Method call_method = {"loop", (void *)call, FASTCALL, "Run a loop."};
static Method bound_method = {"bound", (void *)call_bound, FASTCALL, "Run a loop whose first arguments are known."};

/* loop(known, resolve, otherwise): what is called as the loop. */
static Object *loop(Object *self, Object *const *arguments, length number)
{
    if (number != 3)
        return PyErr_Format(type_error, "loop takes 3 arguments");
    Object *tuple = tuple_of(arguments, number), *made = tuple ? PyCFunction_NewEx(&call_method, tuple, 0) : 0;
    if (tuple)
        Py_DecRef(tuple);
    return made;
}

/* bound(entry, first, later, otherwise, brief): the loop with its first arguments; `later` are examples of the others,
`otherwise` is called with others than these, and a brief one keeps Python's lock: no other thread comes between. */
static Object *bound(Object *self, Object *const *arguments, length number)
{
    if (number != 5)
        return PyErr_Format(type_error, "bound takes 5 arguments");
    Bound made;
    Block block;
    block.words = block.marks = 0;
    if (append(&block, arguments[1]))
        return 0;
    made.entry = PyLong_AsLongLong(arguments[0]);
    made.words = block.words;
    made.brief = (int)PyLong_AsLongLong(arguments[4]);
    for (int index = 0; index < block.words; index++)
        made.word[index] = block.word[index];
    block.marks = 0;
    made.later = (int)PyTuple_Size(arguments[2]);
    for (length index = 0; index < made.later; index++)
        if (append(&block, PyTuple_GetItem(arguments[2], index)))
            return 0;
    made.marks = block.marks;
    for (int index = 0; index < block.marks; index++)
        made.mark[index] = block.mark[index];
    Object *bytes = PyBytes_FromStringAndSize((char *)&made, sizeof made);
    if (!bytes)
        return 0;
    Object *kept = tuple_of(arguments + 1, 2);
    Object *parts[] = {bytes, kept, arguments[3]};
    Object *tuple = kept ? tuple_of(parts, 3) : 0, *function = tuple ? PyCFunction_NewEx(&bound_method, tuple, 0) : 0;
    Py_DecRef(bytes);
    if (kept)
        Py_DecRef(kept);
    if (tuple)
        Py_DecRef(tuple);
    return function;
}

/* copier(arrays): what returns copies of arrays, in order, of at least one dimension, by name. */
static Object *copier(Object *self, Object *const *arguments, length number)
{
    return PyCFunction_NewEx(&copy_method, arguments[0], 0);
}

/* use(type, fail, interface, TypeError): set the type of arrays, the function that raises what a loop has raised, from
NumPy's interface for C what makes an array, and the class of errors. */
static Object *use(Object *self, Object *const *arguments, length number)
{
    void **interface = PyCapsule_GetPointer(arguments[2], 0);
    if (!interface)
        return 0;
    array_type = (Type *)arguments[0];
    fail = arguments[1];
    type_error = arguments[3];
    new_array = (Object *(*)(Type *, Object *, int, length *, length *, void *, int, Object *))interface[94];
    Py_IncRef(arguments[0]);
    Py_IncRef(arguments[1]);
    Py_IncRef(arguments[3]);
    Py_IncRef(&_Py_NoneStruct);
    return &_Py_NoneStruct;
}

#if defined(__x86_64__)
/* Return whether cpuid has all bits of a mask in register 1 (ebx) or 2 (ecx) of a leaf. */
static int has(unsigned leaf, int number, unsigned mask)
{
    unsigned part[4];
    __asm__("cpuid" : "=a"(part[0]), "=b"(part[1]), "=c"(part[2]), "=d"(part[3]) : "a"(leaf), "c"(0));
    return (part[number] & mask) == mask;
}

/* Return the level of x86-64 that this processor and the system support, 1 to 4. */
static int level_of_processor(void)
{
    unsigned low, high;
    if (!has(1, 2, 1u << 0 | 1u << 9 | 1u << 13 | 1u << 19 | 1u << 20 | 1u << 23) || !has(0x80000001, 2, 1u << 0))
        return 1; /* SSE3, SSSE3, CX16, SSE4.1, SSE4.2, POPCNT, and LAHF */
    if (!has(1, 2, 1u << 12 | 1u << 22 | 1u << 27 | 1u << 28 | 1u << 29) || !has(0x80000001, 2, 1u << 5))
        return 2; /* FMA, MOVBE, OSXSAVE, AVX, F16C, and LZCNT */
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & 6) != 6 || !has(7, 1, 1u << 3 | 1u << 5 | 1u << 8))
        return 2; /* registers of AVX; BMI, AVX2, BMI2 */
    /* Registers of AVX-512; its parts F, DQ, CD, BW and VL. */
    return (low & 0xe6) == 0xe6 && has(7, 1, 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31) ? 4 : 3;
}
#else
static int level_of_processor(void) { return 0; }
#endif

/* level(): which instructions this processor has. */
static Object *level(Object *self, Object *const *arguments, length number)
{
    return PyLong_FromLongLong(level_of_processor());
}

static Method methods[] = {
    {"level", (void *)level, FASTCALL, "level(): which instructions this processor has: of x86-64 1 to 4, else 0."},
    {"use", (void *)use, FASTCALL, "use(ndarray, fail, interface, TypeError): set the type of arrays, what raises errors, makes one."},
    {"copier", (void *)copier, FASTCALL, "copier(arrays): what returns copies of arrays, by name."},
    {"loop", (void *)loop, FASTCALL, "loop(known, resolve, otherwise): what is called as a loop."},
    {"bound", (void *)bound, FASTCALL, "bound(entry, first, later, otherwise, brief): a loop with its first arguments."},
    {0, 0, 0, 0},
};
static Module module = {{{1, 0}, 0, 0, 0}, "calling", "Calls of shipped loops.", -1, methods, 0, 0, 0, 0};

EXPORTED Object *PyInit_calling(void) { return PyModule_Create2(&module, 1013); }
