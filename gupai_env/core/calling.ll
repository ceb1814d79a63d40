; of calling.c 2d1f5f95e299180a87fc4ca2f2ef83fdac3ba3435f85d070a7b8ae3fdde5a9a9, by tools/calling.py

%struct.Module = type { %struct.ModuleBase, ptr, ptr, i64, ptr, ptr, ptr, ptr, ptr }
%struct.ModuleBase = type { %struct.Object, ptr, i64, ptr }
%struct.Object = type { i64, ptr }
%struct.Type = type opaque
%struct.Bound = type { i64, i32, i32, i32, i32, [160 x i64], [320 x i64] }
%struct.Block = type { i32, i32, [160 x i64], [320 x i64] }
%struct.Array = type { %struct.Object, ptr, i32, ptr, ptr, ptr, ptr, i32 }
%union.anon = type { double }
%union.anon.0 = type { i64 }

@module = internal global %struct.Module { %struct.ModuleBase { %struct.Object { i64 1, ptr null }, ptr null, i64 0, ptr null }, ptr @.str, ptr @.str.1, i64 -1, ptr @methods, ptr null, ptr null, ptr null, ptr null }, align 8
@.str = private unnamed_addr constant [8 x i8] c"calling\00", align 1
@.str.1 = private unnamed_addr constant [24 x i8] c"Calls of shipped loops.\00", align 1
@.str.2 = private unnamed_addr constant [6 x i8] c"level\00", align 1
@.str.3 = private unnamed_addr constant [74 x i8] c"level(): which instructions this processor has: of x86-64 1 to 4, else 0.\00", align 1
@.str.4 = private unnamed_addr constant [4 x i8] c"use\00", align 1
@.str.5 = private unnamed_addr constant [97 x i8] c"use(ndarray, fail, interface, TypeError): set the type of arrays, what raises errors, makes one.\00", align 1
@.str.6 = private unnamed_addr constant [7 x i8] c"copier\00", align 1
@.str.7 = private unnamed_addr constant [56 x i8] c"copier(arrays): what returns copies of arrays, by name.\00", align 1
@.str.8 = private unnamed_addr constant [5 x i8] c"loop\00", align 1
@.str.9 = private unnamed_addr constant [59 x i8] c"loop(known, resolve, otherwise): what is called as a loop.\00", align 1
@.str.10 = private unnamed_addr constant [6 x i8] c"bound\00", align 1
@.str.11 = private unnamed_addr constant [79 x i8] c"bound(entry, first, later, otherwise, brief): a loop with its first arguments.\00", align 1
@methods = internal global [6 x { ptr, ptr, i32, [4 x i8], ptr }] [{ ptr, ptr, i32, [4 x i8], ptr } { ptr @.str.2, ptr @level, i32 128, [4 x i8] zeroinitializer, ptr @.str.3 }, { ptr, ptr, i32, [4 x i8], ptr } { ptr @.str.4, ptr @use, i32 128, [4 x i8] zeroinitializer, ptr @.str.5 }, { ptr, ptr, i32, [4 x i8], ptr } { ptr @.str.6, ptr @copier, i32 128, [4 x i8] zeroinitializer, ptr @.str.7 }, { ptr, ptr, i32, [4 x i8], ptr } { ptr @.str.8, ptr @loop, i32 128, [4 x i8] zeroinitializer, ptr @.str.9 }, { ptr, ptr, i32, [4 x i8], ptr } { ptr @.str.10, ptr @bound, i32 128, [4 x i8] zeroinitializer, ptr @.str.11 }, { ptr, ptr, i32, [4 x i8], ptr } zeroinitializer], align 8
@array_type = internal global ptr null, align 8
@fail = internal global ptr null, align 8
@type_error = internal global ptr null, align 8
@new_array = internal global ptr null, align 8
@_Py_NoneStruct = external global %struct.Object, align 8
@.str.13 = private unnamed_addr constant [5 x i8] c"copy\00", align 1
@.str.14 = private unnamed_addr constant [13 x i8] c"Copy arrays.\00", align 1
@copy_method = internal global { ptr, ptr, i32, [4 x i8], ptr } { ptr @.str.13, ptr @copy, i32 128, [4 x i8] zeroinitializer, ptr @.str.14 }, align 8
@.str.16 = private unnamed_addr constant [23 x i8] c"loop takes 3 arguments\00", align 1
@.str.17 = private unnamed_addr constant [12 x i8] c"Run a loop.\00", align 1
@call_method = internal global { ptr, ptr, i32, [4 x i8], ptr } { ptr @.str.8, ptr @call, i32 128, [4 x i8] zeroinitializer, ptr @.str.17 }, align 8
@.str.19 = private unnamed_addr constant [30 x i8] c"a loop takes at most %d words\00", align 1
@.str.20 = private unnamed_addr constant [44 x i8] c"a loop takes arrays of at most 4 dimensions\00", align 1
@PyFloat_Type = external global %struct.Type, align 1
@.str.21 = private unnamed_addr constant [3 x i8] c"iL\00", align 1
@.str.22 = private unnamed_addr constant [24 x i8] c"bound takes 5 arguments\00", align 1
@.str.23 = private unnamed_addr constant [44 x i8] c"Run a loop whose first arguments are known.\00", align 1
@bound_method = internal global { ptr, ptr, i32, [4 x i8], ptr } { ptr @.str.10, ptr @call_bound, i32 128, [4 x i8] zeroinitializer, ptr @.str.23 }, align 8

define ptr @PyInit_calling() {
  %1 = call ptr @PyModule_Create2(ptr noundef @module, i32 noundef 1013)
  ret ptr %1
}

declare ptr @PyModule_Create2(ptr noundef, i32 noundef)

define internal ptr @level(ptr noundef %0, ptr noundef %1, i64 noundef %2) {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i64 %2, ptr %6, align 8
  %7 = call i32 @level_of_processor()
  %8 = sext i32 %7 to i64
  %9 = call ptr @PyLong_FromLongLong(i64 noundef %8)
  ret ptr %9
}

define internal ptr @use(ptr noundef %0, ptr noundef %1, i64 noundef %2) {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  %8 = alloca ptr, align 8
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store i64 %2, ptr %7, align 8
  %9 = load ptr, ptr %6, align 8
  %10 = getelementptr inbounds ptr, ptr %9, i64 2
  %11 = load ptr, ptr %10, align 8
  %12 = call ptr @PyCapsule_GetPointer(ptr noundef %11, ptr noundef null)
  store ptr %12, ptr %8, align 8
  %13 = load ptr, ptr %8, align 8
  %14 = icmp ne ptr %13, null
  br i1 %14, label %16, label %15

15:
  store ptr null, ptr %4, align 8
  br label %38

16:
  %17 = load ptr, ptr %6, align 8
  %18 = getelementptr inbounds ptr, ptr %17, i64 0
  %19 = load ptr, ptr %18, align 8
  store ptr %19, ptr @array_type, align 8
  %20 = load ptr, ptr %6, align 8
  %21 = getelementptr inbounds ptr, ptr %20, i64 1
  %22 = load ptr, ptr %21, align 8
  store ptr %22, ptr @fail, align 8
  %23 = load ptr, ptr %6, align 8
  %24 = getelementptr inbounds ptr, ptr %23, i64 3
  %25 = load ptr, ptr %24, align 8
  store ptr %25, ptr @type_error, align 8
  %26 = load ptr, ptr %8, align 8
  %27 = getelementptr inbounds ptr, ptr %26, i64 94
  %28 = load ptr, ptr %27, align 8
  store ptr %28, ptr @new_array, align 8
  %29 = load ptr, ptr %6, align 8
  %30 = getelementptr inbounds ptr, ptr %29, i64 0
  %31 = load ptr, ptr %30, align 8
  call void @Py_IncRef(ptr noundef %31)
  %32 = load ptr, ptr %6, align 8
  %33 = getelementptr inbounds ptr, ptr %32, i64 1
  %34 = load ptr, ptr %33, align 8
  call void @Py_IncRef(ptr noundef %34)
  %35 = load ptr, ptr %6, align 8
  %36 = getelementptr inbounds ptr, ptr %35, i64 3
  %37 = load ptr, ptr %36, align 8
  call void @Py_IncRef(ptr noundef %37)
  call void @Py_IncRef(ptr noundef @_Py_NoneStruct)
  store ptr @_Py_NoneStruct, ptr %4, align 8
  br label %38

38:
  %39 = load ptr, ptr %4, align 8
  ret ptr %39
}

define internal ptr @copier(ptr noundef %0, ptr noundef %1, i64 noundef %2) {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i64 %2, ptr %6, align 8
  %7 = load ptr, ptr %5, align 8
  %8 = getelementptr inbounds ptr, ptr %7, i64 0
  %9 = load ptr, ptr %8, align 8
  %10 = call ptr @PyCFunction_NewEx(ptr noundef @copy_method, ptr noundef %9, ptr noundef null)
  ret ptr %10
}

define internal ptr @loop(ptr noundef %0, ptr noundef %1, i64 noundef %2) {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  %8 = alloca ptr, align 8
  %9 = alloca ptr, align 8
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store i64 %2, ptr %7, align 8
  %10 = load i64, ptr %7, align 8
  %11 = icmp ne i64 %10, 3
  br i1 %11, label %12, label %15

12:
  %13 = load ptr, ptr @type_error, align 8
  %14 = call ptr (ptr, ptr, ...) @PyErr_Format(ptr noundef %13, ptr noundef @.str.16)
  store ptr %14, ptr %4, align 8
  br label %33

15:
  %16 = load ptr, ptr %6, align 8
  %17 = load i64, ptr %7, align 8
  %18 = call ptr @tuple_of(ptr noundef %16, i64 noundef %17)
  store ptr %18, ptr %8, align 8
  %19 = load ptr, ptr %8, align 8
  %20 = icmp ne ptr %19, null
  br i1 %20, label %21, label %24

21:
  %22 = load ptr, ptr %8, align 8
  %23 = call ptr @PyCFunction_NewEx(ptr noundef @call_method, ptr noundef %22, ptr noundef null)
  br label %25

24:
  br label %25

25:
  %26 = phi ptr [ %23, %21 ], [ null, %24 ]
  store ptr %26, ptr %9, align 8
  %27 = load ptr, ptr %8, align 8
  %28 = icmp ne ptr %27, null
  br i1 %28, label %29, label %31

29:
  %30 = load ptr, ptr %8, align 8
  call void @Py_DecRef(ptr noundef %30)
  br label %31

31:
  %32 = load ptr, ptr %9, align 8
  store ptr %32, ptr %4, align 8
  br label %33

33:
  %34 = load ptr, ptr %4, align 8
  ret ptr %34
}

define internal ptr @bound(ptr noundef %0, ptr noundef %1, i64 noundef %2) {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  %8 = alloca %struct.Bound, align 8
  %9 = alloca %struct.Block, align 8
  %10 = alloca i32, align 4
  %11 = alloca i64, align 8
  %12 = alloca i32, align 4
  %13 = alloca ptr, align 8
  %14 = alloca ptr, align 8
  %15 = alloca [3 x ptr], align 8
  %16 = alloca ptr, align 8
  %17 = alloca ptr, align 8
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store i64 %2, ptr %7, align 8
  %18 = load i64, ptr %7, align 8
  %19 = icmp ne i64 %18, 5
  br i1 %19, label %20, label %23

20:
  %21 = load ptr, ptr @type_error, align 8
  %22 = call ptr (ptr, ptr, ...) @PyErr_Format(ptr noundef %21, ptr noundef @.str.22)
  store ptr %22, ptr %4, align 8
  br label %158

23:
  %24 = getelementptr inbounds nuw %struct.Block, ptr %9, i32 0, i32 1
  store i32 0, ptr %24, align 4
  %25 = getelementptr inbounds nuw %struct.Block, ptr %9, i32 0, i32 0
  store i32 0, ptr %25, align 8
  %26 = load ptr, ptr %6, align 8
  %27 = getelementptr inbounds ptr, ptr %26, i64 1
  %28 = load ptr, ptr %27, align 8
  %29 = call i32 @append(ptr noundef %9, ptr noundef %28)
  %30 = icmp ne i32 %29, 0
  br i1 %30, label %31, label %32

31:
  store ptr null, ptr %4, align 8
  br label %158

32:
  %33 = load ptr, ptr %6, align 8
  %34 = getelementptr inbounds ptr, ptr %33, i64 0
  %35 = load ptr, ptr %34, align 8
  %36 = call i64 @PyLong_AsLongLong(ptr noundef %35)
  %37 = getelementptr inbounds nuw %struct.Bound, ptr %8, i32 0, i32 0
  store i64 %36, ptr %37, align 8
  %38 = getelementptr inbounds nuw %struct.Block, ptr %9, i32 0, i32 0
  %39 = load i32, ptr %38, align 8
  %40 = getelementptr inbounds nuw %struct.Bound, ptr %8, i32 0, i32 1
  store i32 %39, ptr %40, align 8
  %41 = load ptr, ptr %6, align 8
  %42 = getelementptr inbounds ptr, ptr %41, i64 4
  %43 = load ptr, ptr %42, align 8
  %44 = call i64 @PyLong_AsLongLong(ptr noundef %43)
  %45 = trunc i64 %44 to i32
  %46 = getelementptr inbounds nuw %struct.Bound, ptr %8, i32 0, i32 4
  store i32 %45, ptr %46, align 4
  store i32 0, ptr %10, align 4
  br label %47

47:
  %48 = load i32, ptr %10, align 4
  %49 = getelementptr inbounds nuw %struct.Block, ptr %9, i32 0, i32 0
  %50 = load i32, ptr %49, align 8
  %51 = icmp slt i32 %48, %50
  br i1 %51, label %52, label %65

52:
  %53 = getelementptr inbounds nuw %struct.Block, ptr %9, i32 0, i32 2
  %54 = load i32, ptr %10, align 4
  %55 = sext i32 %54 to i64
  %56 = getelementptr inbounds [160 x i64], ptr %53, i64 0, i64 %55
  %57 = load i64, ptr %56, align 8
  %58 = getelementptr inbounds nuw %struct.Bound, ptr %8, i32 0, i32 5
  %59 = load i32, ptr %10, align 4
  %60 = sext i32 %59 to i64
  %61 = getelementptr inbounds [160 x i64], ptr %58, i64 0, i64 %60
  store i64 %57, ptr %61, align 8
  br label %62

62:
  %63 = load i32, ptr %10, align 4
  %64 = add nsw i32 %63, 1
  store i32 %64, ptr %10, align 4
  br label %47

65:
  %66 = getelementptr inbounds nuw %struct.Block, ptr %9, i32 0, i32 1
  store i32 0, ptr %66, align 4
  %67 = load ptr, ptr %6, align 8
  %68 = getelementptr inbounds ptr, ptr %67, i64 2
  %69 = load ptr, ptr %68, align 8
  %70 = call i64 @PyTuple_Size(ptr noundef %69)
  %71 = trunc i64 %70 to i32
  %72 = getelementptr inbounds nuw %struct.Bound, ptr %8, i32 0, i32 3
  store i32 %71, ptr %72, align 8
  store i64 0, ptr %11, align 8
  br label %73

73:
  %74 = load i64, ptr %11, align 8
  %75 = getelementptr inbounds nuw %struct.Bound, ptr %8, i32 0, i32 3
  %76 = load i32, ptr %75, align 8
  %77 = sext i32 %76 to i64
  %78 = icmp slt i64 %74, %77
  br i1 %78, label %79, label %92

79:
  %80 = load ptr, ptr %6, align 8
  %81 = getelementptr inbounds ptr, ptr %80, i64 2
  %82 = load ptr, ptr %81, align 8
  %83 = load i64, ptr %11, align 8
  %84 = call ptr @PyTuple_GetItem(ptr noundef %82, i64 noundef %83)
  %85 = call i32 @append(ptr noundef %9, ptr noundef %84)
  %86 = icmp ne i32 %85, 0
  br i1 %86, label %87, label %88

87:
  store ptr null, ptr %4, align 8
  br label %158

88:
  br label %89

89:
  %90 = load i64, ptr %11, align 8
  %91 = add nsw i64 %90, 1
  store i64 %91, ptr %11, align 8
  br label %73

92:
  %93 = getelementptr inbounds nuw %struct.Block, ptr %9, i32 0, i32 1
  %94 = load i32, ptr %93, align 4
  %95 = getelementptr inbounds nuw %struct.Bound, ptr %8, i32 0, i32 2
  store i32 %94, ptr %95, align 4
  store i32 0, ptr %12, align 4
  br label %96

96:
  %97 = load i32, ptr %12, align 4
  %98 = getelementptr inbounds nuw %struct.Block, ptr %9, i32 0, i32 1
  %99 = load i32, ptr %98, align 4
  %100 = icmp slt i32 %97, %99
  br i1 %100, label %101, label %114

101:
  %102 = getelementptr inbounds nuw %struct.Block, ptr %9, i32 0, i32 3
  %103 = load i32, ptr %12, align 4
  %104 = sext i32 %103 to i64
  %105 = getelementptr inbounds [320 x i64], ptr %102, i64 0, i64 %104
  %106 = load i64, ptr %105, align 8
  %107 = getelementptr inbounds nuw %struct.Bound, ptr %8, i32 0, i32 6
  %108 = load i32, ptr %12, align 4
  %109 = sext i32 %108 to i64
  %110 = getelementptr inbounds [320 x i64], ptr %107, i64 0, i64 %109
  store i64 %106, ptr %110, align 8
  br label %111

111:
  %112 = load i32, ptr %12, align 4
  %113 = add nsw i32 %112, 1
  store i32 %113, ptr %12, align 4
  br label %96

114:
  %115 = call ptr @PyBytes_FromStringAndSize(ptr noundef %8, i64 noundef 3864)
  store ptr %115, ptr %13, align 8
  %116 = load ptr, ptr %13, align 8
  %117 = icmp ne ptr %116, null
  br i1 %117, label %119, label %118

118:
  store ptr null, ptr %4, align 8
  br label %158

119:
  %120 = load ptr, ptr %6, align 8
  %121 = getelementptr inbounds ptr, ptr %120, i64 1
  %122 = call ptr @tuple_of(ptr noundef %121, i64 noundef 2)
  store ptr %122, ptr %14, align 8
  %123 = load ptr, ptr %13, align 8
  store ptr %123, ptr %15, align 8
  %124 = getelementptr inbounds ptr, ptr %15, i64 1
  %125 = load ptr, ptr %14, align 8
  store ptr %125, ptr %124, align 8
  %126 = getelementptr inbounds ptr, ptr %15, i64 2
  %127 = load ptr, ptr %6, align 8
  %128 = getelementptr inbounds ptr, ptr %127, i64 3
  %129 = load ptr, ptr %128, align 8
  store ptr %129, ptr %126, align 8
  %130 = load ptr, ptr %14, align 8
  %131 = icmp ne ptr %130, null
  br i1 %131, label %132, label %135

132:
  %133 = getelementptr inbounds [3 x ptr], ptr %15, i64 0, i64 0
  %134 = call ptr @tuple_of(ptr noundef %133, i64 noundef 3)
  br label %136

135:
  br label %136

136:
  %137 = phi ptr [ %134, %132 ], [ null, %135 ]
  store ptr %137, ptr %16, align 8
  %138 = load ptr, ptr %16, align 8
  %139 = icmp ne ptr %138, null
  br i1 %139, label %140, label %143

140:
  %141 = load ptr, ptr %16, align 8
  %142 = call ptr @PyCFunction_NewEx(ptr noundef @bound_method, ptr noundef %141, ptr noundef null)
  br label %144

143:
  br label %144

144:
  %145 = phi ptr [ %142, %140 ], [ null, %143 ]
  store ptr %145, ptr %17, align 8
  %146 = load ptr, ptr %13, align 8
  call void @Py_DecRef(ptr noundef %146)
  %147 = load ptr, ptr %14, align 8
  %148 = icmp ne ptr %147, null
  br i1 %148, label %149, label %151

149:
  %150 = load ptr, ptr %14, align 8
  call void @Py_DecRef(ptr noundef %150)
  br label %151

151:
  %152 = load ptr, ptr %16, align 8
  %153 = icmp ne ptr %152, null
  br i1 %153, label %154, label %156

154:
  %155 = load ptr, ptr %16, align 8
  call void @Py_DecRef(ptr noundef %155)
  br label %156

156:
  %157 = load ptr, ptr %17, align 8
  store ptr %157, ptr %4, align 8
  br label %158

158:
  %159 = load ptr, ptr %4, align 8
  ret ptr %159
}

declare ptr @PyLong_FromLongLong(i64 noundef)

define internal i32 @level_of_processor() {
  ret i32 0
}

declare ptr @PyCapsule_GetPointer(ptr noundef, ptr noundef)

declare void @Py_IncRef(ptr noundef)

declare ptr @PyCFunction_NewEx(ptr noundef, ptr noundef, ptr noundef)

define internal ptr @copy(ptr noundef %0, ptr noundef %1, i64 noundef %2) {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  %8 = alloca ptr, align 8
  %9 = alloca ptr, align 8
  %10 = alloca ptr, align 8
  %11 = alloca i64, align 8
  %12 = alloca ptr, align 8
  %13 = alloca ptr, align 8
  %14 = alloca i32, align 4
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store i64 %2, ptr %7, align 8
  %15 = call ptr @PyDict_New()
  store ptr %15, ptr %8, align 8
  store i64 0, ptr %11, align 8
  br label %16

16:
  %17 = load ptr, ptr %8, align 8
  %18 = icmp ne ptr %17, null
  br i1 %18, label %19, label %23

19:
  %20 = load ptr, ptr %5, align 8
  %21 = call i32 @PyDict_Next(ptr noundef %20, ptr noundef %11, ptr noundef %9, ptr noundef %10)
  %22 = icmp ne i32 %21, 0
  br label %23

23:
  %24 = phi i1 [ false, %16 ], [ %22, %19 ]
  br i1 %24, label %25, label %84

25:
  %26 = load ptr, ptr %10, align 8
  store ptr %26, ptr %12, align 8
  %27 = load ptr, ptr %12, align 8
  %28 = getelementptr inbounds nuw %struct.Array, ptr %27, i32 0, i32 6
  %29 = load ptr, ptr %28, align 8
  call void @Py_IncRef(ptr noundef %29)
  %30 = load ptr, ptr @new_array, align 8
  %31 = load ptr, ptr @array_type, align 8
  %32 = load ptr, ptr %12, align 8
  %33 = getelementptr inbounds nuw %struct.Array, ptr %32, i32 0, i32 6
  %34 = load ptr, ptr %33, align 8
  %35 = load ptr, ptr %12, align 8
  %36 = getelementptr inbounds nuw %struct.Array, ptr %35, i32 0, i32 2
  %37 = load i32, ptr %36, align 8
  %38 = load ptr, ptr %12, align 8
  %39 = getelementptr inbounds nuw %struct.Array, ptr %38, i32 0, i32 3
  %40 = load ptr, ptr %39, align 8
  %41 = call ptr %30(ptr noundef %31, ptr noundef %34, i32 noundef %37, ptr noundef %40, ptr noundef null, ptr noundef null, i32 noundef 0, ptr noundef null)
  store ptr %41, ptr %13, align 8
  %42 = load ptr, ptr %13, align 8
  %43 = icmp ne ptr %42, null
  br i1 %43, label %44, label %62

44:
  %45 = load ptr, ptr %13, align 8
  %46 = getelementptr inbounds nuw %struct.Array, ptr %45, i32 0, i32 1
  %47 = load ptr, ptr %46, align 8
  %48 = load ptr, ptr %12, align 8
  %49 = getelementptr inbounds nuw %struct.Array, ptr %48, i32 0, i32 1
  %50 = load ptr, ptr %49, align 8
  %51 = load ptr, ptr %12, align 8
  %52 = getelementptr inbounds nuw %struct.Array, ptr %51, i32 0, i32 3
  %53 = load ptr, ptr %52, align 8
  %54 = getelementptr inbounds i64, ptr %53, i64 0
  %55 = load i64, ptr %54, align 8
  %56 = load ptr, ptr %12, align 8
  %57 = getelementptr inbounds nuw %struct.Array, ptr %56, i32 0, i32 4
  %58 = load ptr, ptr %57, align 8
  %59 = getelementptr inbounds i64, ptr %58, i64 0
  %60 = load i64, ptr %59, align 8
  %61 = mul nsw i64 %55, %60
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %47, ptr align 1 %50, i64 %61, i1 false)
  br label %62

62:
  %63 = load ptr, ptr %13, align 8
  %64 = icmp ne ptr %63, null
  br i1 %64, label %65, label %71

65:
  %66 = load ptr, ptr %8, align 8
  %67 = load ptr, ptr %9, align 8
  %68 = load ptr, ptr %13, align 8
  %69 = call i32 @PyDict_SetItem(ptr noundef %66, ptr noundef %67, ptr noundef %68)
  %70 = icmp ne i32 %69, 0
  br label %71

71:
  %72 = phi i1 [ true, %62 ], [ %70, %65 ]
  %73 = zext i1 %72 to i32
  store i32 %73, ptr %14, align 4
  %74 = load ptr, ptr %13, align 8
  %75 = icmp ne ptr %74, null
  br i1 %75, label %76, label %78

76:
  %77 = load ptr, ptr %13, align 8
  call void @Py_DecRef(ptr noundef %77)
  br label %78

78:
  %79 = load i32, ptr %14, align 4
  %80 = icmp ne i32 %79, 0
  br i1 %80, label %81, label %83

81:
  %82 = load ptr, ptr %8, align 8
  call void @Py_DecRef(ptr noundef %82)
  store ptr null, ptr %4, align 8
  br label %86

83:
  br label %16

84:
  %85 = load ptr, ptr %8, align 8
  store ptr %85, ptr %4, align 8
  br label %86

86:
  %87 = load ptr, ptr %4, align 8
  ret ptr %87
}

declare ptr @PyDict_New()

declare i32 @PyDict_Next(ptr noundef, ptr noundef, ptr noundef, ptr noundef)

declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg)

declare i32 @PyDict_SetItem(ptr noundef, ptr noundef, ptr noundef)

declare void @Py_DecRef(ptr noundef)

declare ptr @PyErr_Format(ptr noundef, ptr noundef, ...)

define internal ptr @tuple_of(ptr noundef %0, i64 noundef %1) {
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %7 = load i64, ptr %4, align 8
  %8 = call ptr @PyTuple_New(i64 noundef %7)
  store ptr %8, ptr %5, align 8
  store i64 0, ptr %6, align 8
  br label %9

9:
  %10 = load ptr, ptr %5, align 8
  %11 = icmp ne ptr %10, null
  br i1 %11, label %12, label %16

12:
  %13 = load i64, ptr %6, align 8
  %14 = load i64, ptr %4, align 8
  %15 = icmp slt i64 %13, %14
  br label %16

16:
  %17 = phi i1 [ false, %9 ], [ %15, %12 ]
  br i1 %17, label %18, label %33

18:
  %19 = load ptr, ptr %3, align 8
  %20 = load i64, ptr %6, align 8
  %21 = getelementptr inbounds ptr, ptr %19, i64 %20
  %22 = load ptr, ptr %21, align 8
  call void @Py_IncRef(ptr noundef %22)
  %23 = load ptr, ptr %5, align 8
  %24 = load i64, ptr %6, align 8
  %25 = load ptr, ptr %3, align 8
  %26 = load i64, ptr %6, align 8
  %27 = getelementptr inbounds ptr, ptr %25, i64 %26
  %28 = load ptr, ptr %27, align 8
  %29 = call i32 @PyTuple_SetItem(ptr noundef %23, i64 noundef %24, ptr noundef %28)
  br label %30

30:
  %31 = load i64, ptr %6, align 8
  %32 = add nsw i64 %31, 1
  store i64 %32, ptr %6, align 8
  br label %9

33:
  %34 = load ptr, ptr %5, align 8
  ret ptr %34
}

declare ptr @PyTuple_New(i64 noundef)

declare i32 @PyTuple_SetItem(ptr noundef, i64 noundef, ptr noundef)

define internal ptr @call(ptr noundef %0, ptr noundef %1, i64 noundef %2) {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  %8 = alloca %struct.Block, align 8
  %9 = alloca i64, align 8
  %10 = alloca ptr, align 8
  %11 = alloca ptr, align 8
  %12 = alloca ptr, align 8
  %13 = alloca i64, align 8
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store i64 %2, ptr %7, align 8
  %14 = getelementptr inbounds nuw %struct.Block, ptr %8, i32 0, i32 1
  store i32 0, ptr %14, align 4
  %15 = getelementptr inbounds nuw %struct.Block, ptr %8, i32 0, i32 0
  store i32 0, ptr %15, align 8
  store i64 0, ptr %9, align 8
  br label %16

16:
  %17 = load i64, ptr %9, align 8
  %18 = load i64, ptr %7, align 8
  %19 = icmp slt i64 %17, %18
  br i1 %19, label %20, label %32

20:
  %21 = load ptr, ptr %6, align 8
  %22 = load i64, ptr %9, align 8
  %23 = getelementptr inbounds ptr, ptr %21, i64 %22
  %24 = load ptr, ptr %23, align 8
  %25 = call i32 @append(ptr noundef %8, ptr noundef %24)
  %26 = icmp ne i32 %25, 0
  br i1 %26, label %27, label %28

27:
  store ptr null, ptr %4, align 8
  br label %106

28:
  br label %29

29:
  %30 = load i64, ptr %9, align 8
  %31 = add nsw i64 %30, 1
  store i64 %31, ptr %9, align 8
  br label %16

32:
  %33 = load ptr, ptr %5, align 8
  %34 = call ptr @PyTuple_GetItem(ptr noundef %33, i64 noundef 0)
  store ptr %34, ptr %10, align 8
  store ptr null, ptr %11, align 8
  %35 = getelementptr inbounds nuw %struct.Block, ptr %8, i32 0, i32 3
  %36 = getelementptr inbounds [320 x i64], ptr %35, i64 0, i64 0
  %37 = getelementptr inbounds nuw %struct.Block, ptr %8, i32 0, i32 1
  %38 = load i32, ptr %37, align 4
  %39 = sext i32 %38 to i64
  %40 = mul nsw i64 %39, 8
  %41 = call ptr @PyBytes_FromStringAndSize(ptr noundef %36, i64 noundef %40)
  store ptr %41, ptr %12, align 8
  %42 = load ptr, ptr %12, align 8
  %43 = icmp ne ptr %42, null
  br i1 %43, label %45, label %44

44:
  store ptr null, ptr %4, align 8
  br label %106

45:
  %46 = load ptr, ptr %10, align 8
  %47 = load ptr, ptr %12, align 8
  %48 = call ptr @PyDict_GetItemWithError(ptr noundef %46, ptr noundef %47)
  store ptr %48, ptr %11, align 8
  %49 = load ptr, ptr %11, align 8
  %50 = icmp ne ptr %49, null
  br i1 %50, label %51, label %55

51:
  %52 = load ptr, ptr %11, align 8
  %53 = call ptr @PyTuple_GetItem(ptr noundef %52, i64 noundef 0)
  %54 = call i64 @PyLong_AsLongLong(ptr noundef %53)
  br label %56

55:
  br label %56

56:
  %57 = phi i64 [ %54, %51 ], [ 0, %55 ]
  store i64 %57, ptr %13, align 8
  %58 = load ptr, ptr %11, align 8
  %59 = icmp ne ptr %58, null
  br i1 %59, label %85, label %60

60:
  %61 = call ptr @PyErr_Occurred()
  %62 = icmp ne ptr %61, null
  br i1 %62, label %85, label %63

63:
  %64 = load ptr, ptr %5, align 8
  %65 = call ptr @PyTuple_GetItem(ptr noundef %64, i64 noundef 1)
  %66 = load ptr, ptr %6, align 8
  %67 = load i64, ptr %7, align 8
  %68 = call ptr @called(ptr noundef %65, ptr noundef %66, i64 noundef %67)
  store ptr %68, ptr %11, align 8
  %69 = load ptr, ptr %11, align 8
  %70 = icmp ne ptr %69, null
  br i1 %70, label %71, label %84

71:
  %72 = load ptr, ptr %11, align 8
  %73 = call ptr @PyTuple_GetItem(ptr noundef %72, i64 noundef 0)
  %74 = call i64 @PyLong_AsLongLong(ptr noundef %73)
  store i64 %74, ptr %13, align 8
  %75 = load i64, ptr %13, align 8
  %76 = icmp ne i64 %75, 0
  br i1 %76, label %77, label %82

77:
  %78 = load ptr, ptr %10, align 8
  %79 = load ptr, ptr %12, align 8
  %80 = load ptr, ptr %11, align 8
  %81 = call i32 @PyDict_SetItem(ptr noundef %78, ptr noundef %79, ptr noundef %80)
  br label %82

82:
  %83 = load ptr, ptr %11, align 8
  call void @Py_DecRef(ptr noundef %83)
  br label %84

84:
  br label %85

85:
  %86 = load ptr, ptr %12, align 8
  call void @Py_DecRef(ptr noundef %86)
  %87 = load ptr, ptr %11, align 8
  %88 = icmp ne ptr %87, null
  br i1 %88, label %90, label %89

89:
  store ptr null, ptr %4, align 8
  br label %106

90:
  %91 = load i64, ptr %13, align 8
  %92 = icmp ne i64 %91, 0
  br i1 %92, label %93, label %98

93:
  %94 = load i64, ptr %13, align 8
  %95 = getelementptr inbounds nuw %struct.Block, ptr %8, i32 0, i32 2
  %96 = getelementptr inbounds [160 x i64], ptr %95, i64 0, i64 0
  %97 = call ptr @run(i64 noundef %94, ptr noundef %96, i32 noundef 0)
  br label %104

98:
  %99 = load ptr, ptr %5, align 8
  %100 = call ptr @PyTuple_GetItem(ptr noundef %99, i64 noundef 2)
  %101 = load ptr, ptr %6, align 8
  %102 = load i64, ptr %7, align 8
  %103 = call ptr @called(ptr noundef %100, ptr noundef %101, i64 noundef %102)
  br label %104

104:
  %105 = phi ptr [ %97, %93 ], [ %103, %98 ]
  store ptr %105, ptr %4, align 8
  br label %106

106:
  %107 = load ptr, ptr %4, align 8
  ret ptr %107
}

define internal i32 @append(ptr noundef %0, ptr noundef %1) {
  %3 = alloca i32, align 4
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca i32, align 4
  %9 = alloca i32, align 4
  %10 = alloca i64, align 8
  %11 = alloca i64, align 8
  %12 = alloca %union.anon, align 8
  %13 = alloca i64, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  %14 = load ptr, ptr %5, align 8
  %15 = getelementptr inbounds nuw %struct.Object, ptr %14, i32 0, i32 1
  %16 = load ptr, ptr %15, align 8
  store ptr %16, ptr %6, align 8
  %17 = load ptr, ptr %4, align 8
  %18 = getelementptr inbounds nuw %struct.Block, ptr %17, i32 0, i32 0
  %19 = load i32, ptr %18, align 8
  %20 = add nsw i32 %19, 16
  %21 = icmp sgt i32 %20, 160
  br i1 %21, label %28, label %22

22:
  %23 = load ptr, ptr %4, align 8
  %24 = getelementptr inbounds nuw %struct.Block, ptr %23, i32 0, i32 1
  %25 = load i32, ptr %24, align 4
  %26 = add nsw i32 %25, 16
  %27 = icmp sgt i32 %26, 320
  br i1 %27, label %28, label %31

28:
  %29 = load ptr, ptr @type_error, align 8
  %30 = call ptr (ptr, ptr, ...) @PyErr_Format(ptr noundef %29, ptr noundef @.str.19, i32 noundef 160)
  store i32 -1, ptr %3, align 4
  br label %230

31:
  %32 = load ptr, ptr %6, align 8
  %33 = load ptr, ptr @array_type, align 8
  %34 = icmp eq ptr %32, %33
  br i1 %34, label %40, label %35

35:
  %36 = load ptr, ptr %6, align 8
  %37 = load ptr, ptr @array_type, align 8
  %38 = call i32 @PyType_IsSubtype(ptr noundef %36, ptr noundef %37)
  %39 = icmp ne i32 %38, 0
  br i1 %39, label %40, label %146

40:
  %41 = load ptr, ptr %5, align 8
  store ptr %41, ptr %7, align 8
  %42 = load ptr, ptr %7, align 8
  %43 = getelementptr inbounds nuw %struct.Array, ptr %42, i32 0, i32 2
  %44 = load i32, ptr %43, align 8
  %45 = icmp sgt i32 %44, 4
  br i1 %45, label %46, label %49

46:
  %47 = load ptr, ptr @type_error, align 8
  %48 = call ptr (ptr, ptr, ...) @PyErr_Format(ptr noundef %47, ptr noundef @.str.20)
  store i32 -1, ptr %3, align 4
  br label %230

49:
  %50 = load ptr, ptr %7, align 8
  %51 = getelementptr inbounds nuw %struct.Array, ptr %50, i32 0, i32 6
  %52 = load ptr, ptr %51, align 8
  %53 = ptrtoint ptr %52 to i64
  %54 = load ptr, ptr %4, align 8
  %55 = getelementptr inbounds nuw %struct.Block, ptr %54, i32 0, i32 3
  %56 = load ptr, ptr %4, align 8
  %57 = getelementptr inbounds nuw %struct.Block, ptr %56, i32 0, i32 1
  %58 = load i32, ptr %57, align 4
  %59 = add nsw i32 %58, 1
  store i32 %59, ptr %57, align 4
  %60 = sext i32 %58 to i64
  %61 = getelementptr inbounds [320 x i64], ptr %55, i64 0, i64 %60
  store i64 %53, ptr %61, align 8
  %62 = load ptr, ptr %7, align 8
  %63 = getelementptr inbounds nuw %struct.Array, ptr %62, i32 0, i32 2
  %64 = load i32, ptr %63, align 8
  %65 = shl i32 %64, 1
  %66 = sext i32 %65 to i64
  %67 = or i64 4611686018427387904, %66
  %68 = load ptr, ptr %7, align 8
  %69 = getelementptr inbounds nuw %struct.Array, ptr %68, i32 0, i32 7
  %70 = load i32, ptr %69, align 8
  %71 = and i32 %70, 1
  %72 = sext i32 %71 to i64
  %73 = or i64 %67, %72
  %74 = load ptr, ptr %4, align 8
  %75 = getelementptr inbounds nuw %struct.Block, ptr %74, i32 0, i32 3
  %76 = load ptr, ptr %4, align 8
  %77 = getelementptr inbounds nuw %struct.Block, ptr %76, i32 0, i32 1
  %78 = load i32, ptr %77, align 4
  %79 = add nsw i32 %78, 1
  store i32 %79, ptr %77, align 4
  %80 = sext i32 %78 to i64
  %81 = getelementptr inbounds [320 x i64], ptr %75, i64 0, i64 %80
  store i64 %73, ptr %81, align 8
  %82 = load ptr, ptr %7, align 8
  %83 = getelementptr inbounds nuw %struct.Array, ptr %82, i32 0, i32 1
  %84 = load ptr, ptr %83, align 8
  %85 = ptrtoint ptr %84 to i64
  %86 = load ptr, ptr %4, align 8
  %87 = getelementptr inbounds nuw %struct.Block, ptr %86, i32 0, i32 2
  %88 = load ptr, ptr %4, align 8
  %89 = getelementptr inbounds nuw %struct.Block, ptr %88, i32 0, i32 0
  %90 = load i32, ptr %89, align 8
  %91 = add nsw i32 %90, 1
  store i32 %91, ptr %89, align 8
  %92 = sext i32 %90 to i64
  %93 = getelementptr inbounds [160 x i64], ptr %87, i64 0, i64 %92
  store i64 %85, ptr %93, align 8
  store i32 0, ptr %8, align 4
  br label %94

94:
  %95 = load i32, ptr %8, align 4
  %96 = load ptr, ptr %7, align 8
  %97 = getelementptr inbounds nuw %struct.Array, ptr %96, i32 0, i32 2
  %98 = load i32, ptr %97, align 8
  %99 = icmp slt i32 %95, %98
  br i1 %99, label %100, label %119

100:
  %101 = load ptr, ptr %7, align 8
  %102 = getelementptr inbounds nuw %struct.Array, ptr %101, i32 0, i32 3
  %103 = load ptr, ptr %102, align 8
  %104 = load i32, ptr %8, align 4
  %105 = sext i32 %104 to i64
  %106 = getelementptr inbounds i64, ptr %103, i64 %105
  %107 = load i64, ptr %106, align 8
  %108 = load ptr, ptr %4, align 8
  %109 = getelementptr inbounds nuw %struct.Block, ptr %108, i32 0, i32 2
  %110 = load ptr, ptr %4, align 8
  %111 = getelementptr inbounds nuw %struct.Block, ptr %110, i32 0, i32 0
  %112 = load i32, ptr %111, align 8
  %113 = add nsw i32 %112, 1
  store i32 %113, ptr %111, align 8
  %114 = sext i32 %112 to i64
  %115 = getelementptr inbounds [160 x i64], ptr %109, i64 0, i64 %114
  store i64 %107, ptr %115, align 8
  br label %116

116:
  %117 = load i32, ptr %8, align 4
  %118 = add nsw i32 %117, 1
  store i32 %118, ptr %8, align 4
  br label %94

119:
  store i32 0, ptr %9, align 4
  br label %120

120:
  %121 = load i32, ptr %9, align 4
  %122 = load ptr, ptr %7, align 8
  %123 = getelementptr inbounds nuw %struct.Array, ptr %122, i32 0, i32 2
  %124 = load i32, ptr %123, align 8
  %125 = icmp slt i32 %121, %124
  br i1 %125, label %126, label %145

126:
  %127 = load ptr, ptr %7, align 8
  %128 = getelementptr inbounds nuw %struct.Array, ptr %127, i32 0, i32 4
  %129 = load ptr, ptr %128, align 8
  %130 = load i32, ptr %9, align 4
  %131 = sext i32 %130 to i64
  %132 = getelementptr inbounds i64, ptr %129, i64 %131
  %133 = load i64, ptr %132, align 8
  %134 = load ptr, ptr %4, align 8
  %135 = getelementptr inbounds nuw %struct.Block, ptr %134, i32 0, i32 2
  %136 = load ptr, ptr %4, align 8
  %137 = getelementptr inbounds nuw %struct.Block, ptr %136, i32 0, i32 0
  %138 = load i32, ptr %137, align 8
  %139 = add nsw i32 %138, 1
  store i32 %139, ptr %137, align 8
  %140 = sext i32 %138 to i64
  %141 = getelementptr inbounds [160 x i64], ptr %135, i64 0, i64 %140
  store i64 %133, ptr %141, align 8
  br label %142

142:
  %143 = load i32, ptr %9, align 4
  %144 = add nsw i32 %143, 1
  store i32 %144, ptr %9, align 4
  br label %120

145:
  store i32 0, ptr %3, align 4
  br label %230

146:
  %147 = load ptr, ptr %6, align 8
  %148 = ptrtoint ptr %147 to i64
  %149 = load ptr, ptr %4, align 8
  %150 = getelementptr inbounds nuw %struct.Block, ptr %149, i32 0, i32 3
  %151 = load ptr, ptr %4, align 8
  %152 = getelementptr inbounds nuw %struct.Block, ptr %151, i32 0, i32 1
  %153 = load i32, ptr %152, align 4
  %154 = add nsw i32 %153, 1
  store i32 %154, ptr %152, align 4
  %155 = sext i32 %153 to i64
  %156 = getelementptr inbounds [320 x i64], ptr %150, i64 0, i64 %155
  store i64 %148, ptr %156, align 8
  %157 = load ptr, ptr %6, align 8
  %158 = call i64 @PyType_GetFlags(ptr noundef %157)
  %159 = and i64 %158, 67108864
  %160 = icmp ne i64 %159, 0
  br i1 %160, label %161, label %190

161:
  %162 = load ptr, ptr %5, align 8
  %163 = call i64 @PyTuple_Size(ptr noundef %162)
  store i64 %163, ptr %10, align 8
  %164 = load i64, ptr %10, align 8
  %165 = load ptr, ptr %4, align 8
  %166 = getelementptr inbounds nuw %struct.Block, ptr %165, i32 0, i32 3
  %167 = load ptr, ptr %4, align 8
  %168 = getelementptr inbounds nuw %struct.Block, ptr %167, i32 0, i32 1
  %169 = load i32, ptr %168, align 4
  %170 = add nsw i32 %169, 1
  store i32 %170, ptr %168, align 4
  %171 = sext i32 %169 to i64
  %172 = getelementptr inbounds [320 x i64], ptr %166, i64 0, i64 %171
  store i64 %164, ptr %172, align 8
  store i64 0, ptr %11, align 8
  br label %173

173:
  %174 = load i64, ptr %11, align 8
  %175 = load i64, ptr %10, align 8
  %176 = icmp slt i64 %174, %175
  br i1 %176, label %177, label %189

177:
  %178 = load ptr, ptr %4, align 8
  %179 = load ptr, ptr %5, align 8
  %180 = load i64, ptr %11, align 8
  %181 = call ptr @PyTuple_GetItem(ptr noundef %179, i64 noundef %180)
  %182 = call i32 @append(ptr noundef %178, ptr noundef %181)
  %183 = icmp ne i32 %182, 0
  br i1 %183, label %184, label %185

184:
  store i32 -1, ptr %3, align 4
  br label %230

185:
  br label %186

186:
  %187 = load i64, ptr %11, align 8
  %188 = add nsw i64 %187, 1
  store i64 %188, ptr %11, align 8
  br label %173

189:
  store i32 0, ptr %3, align 4
  br label %230

190:
  %191 = load ptr, ptr %6, align 8
  %192 = icmp eq ptr %191, @PyFloat_Type
  br i1 %192, label %197, label %193

193:
  %194 = load ptr, ptr %6, align 8
  %195 = call i32 @PyType_IsSubtype(ptr noundef %194, ptr noundef @PyFloat_Type)
  %196 = icmp ne i32 %195, 0
  br i1 %196, label %197, label %209

197:
  %198 = load ptr, ptr %5, align 8
  %199 = call double @PyFloat_AsDouble(ptr noundef %198)
  store double %199, ptr %12, align 8
  %200 = load i64, ptr %12, align 8
  %201 = load ptr, ptr %4, align 8
  %202 = getelementptr inbounds nuw %struct.Block, ptr %201, i32 0, i32 2
  %203 = load ptr, ptr %4, align 8
  %204 = getelementptr inbounds nuw %struct.Block, ptr %203, i32 0, i32 0
  %205 = load i32, ptr %204, align 8
  %206 = add nsw i32 %205, 1
  store i32 %206, ptr %204, align 8
  %207 = sext i32 %205 to i64
  %208 = getelementptr inbounds [160 x i64], ptr %202, i64 0, i64 %207
  store i64 %200, ptr %208, align 8
  store i32 0, ptr %3, align 4
  br label %230

209:
  %210 = load ptr, ptr %5, align 8
  %211 = call i64 @PyLong_AsLongLong(ptr noundef %210)
  store i64 %211, ptr %13, align 8
  %212 = load i64, ptr %13, align 8
  %213 = load ptr, ptr %4, align 8
  %214 = getelementptr inbounds nuw %struct.Block, ptr %213, i32 0, i32 2
  %215 = load ptr, ptr %4, align 8
  %216 = getelementptr inbounds nuw %struct.Block, ptr %215, i32 0, i32 0
  %217 = load i32, ptr %216, align 8
  %218 = add nsw i32 %217, 1
  store i32 %218, ptr %216, align 8
  %219 = sext i32 %217 to i64
  %220 = getelementptr inbounds [160 x i64], ptr %214, i64 0, i64 %219
  store i64 %212, ptr %220, align 8
  %221 = load i64, ptr %13, align 8
  %222 = icmp eq i64 %221, -1
  br i1 %222, label %223, label %226

223:
  %224 = call ptr @PyErr_Occurred()
  %225 = icmp ne ptr %224, null
  br label %226

226:
  %227 = phi i1 [ false, %209 ], [ %225, %223 ]
  %228 = zext i1 %227 to i64
  %229 = select i1 %227, i32 -1, i32 0
  store i32 %229, ptr %3, align 4
  br label %230

230:
  %231 = load i32, ptr %3, align 4
  ret i32 %231
}

declare ptr @PyTuple_GetItem(ptr noundef, i64 noundef)

declare ptr @PyBytes_FromStringAndSize(ptr noundef, i64 noundef)

declare ptr @PyDict_GetItemWithError(ptr noundef, ptr noundef)

declare i64 @PyLong_AsLongLong(ptr noundef)

declare ptr @PyErr_Occurred()

define internal ptr @called(ptr noundef %0, ptr noundef %1, i64 noundef %2) {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  %7 = alloca ptr, align 8
  %8 = alloca ptr, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i64 %2, ptr %6, align 8
  %9 = load ptr, ptr %5, align 8
  %10 = load i64, ptr %6, align 8
  %11 = call ptr @tuple_of(ptr noundef %9, i64 noundef %10)
  store ptr %11, ptr %7, align 8
  %12 = load ptr, ptr %7, align 8
  %13 = icmp ne ptr %12, null
  br i1 %13, label %14, label %18

14:
  %15 = load ptr, ptr %4, align 8
  %16 = load ptr, ptr %7, align 8
  %17 = call ptr @PyObject_Call(ptr noundef %15, ptr noundef %16, ptr noundef null)
  br label %19

18:
  br label %19

19:
  %20 = phi ptr [ %17, %14 ], [ null, %18 ]
  store ptr %20, ptr %8, align 8
  %21 = load ptr, ptr %7, align 8
  %22 = icmp ne ptr %21, null
  br i1 %22, label %23, label %25

23:
  %24 = load ptr, ptr %7, align 8
  call void @Py_DecRef(ptr noundef %24)
  br label %25

25:
  %26 = load ptr, ptr %8, align 8
  ret ptr %26
}

define internal ptr @run(i64 noundef %0, ptr noundef %1, i32 noundef %2) {
  %4 = alloca ptr, align 8
  %5 = alloca i64, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i32, align 4
  %8 = alloca ptr, align 8
  %9 = alloca i32, align 4
  %10 = alloca %union.anon.0, align 8
  store i64 %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store i32 %2, ptr %7, align 4
  %11 = load i32, ptr %7, align 4
  %12 = icmp ne i32 %11, 0
  br i1 %12, label %13, label %14

13:
  br label %16

14:
  %15 = call ptr @PyEval_SaveThread()
  br label %16

16:
  %17 = phi ptr [ null, %13 ], [ %15, %14 ]
  store ptr %17, ptr %8, align 8
  %18 = load i64, ptr %5, align 8
  %19 = inttoptr i64 %18 to ptr
  %20 = load ptr, ptr %6, align 8
  %21 = call i32 %19(ptr noundef %20)
  store i32 %21, ptr %9, align 4
  %22 = load ptr, ptr %8, align 8
  %23 = icmp ne ptr %22, null
  br i1 %23, label %24, label %26

24:
  %25 = load ptr, ptr %8, align 8
  call void @PyEval_RestoreThread(ptr noundef %25)
  br label %26

26:
  %27 = load i32, ptr %9, align 4
  %28 = icmp ne i32 %27, 0
  br i1 %28, label %29, label %36

29:
  %30 = load ptr, ptr @fail, align 8
  %31 = load i32, ptr %9, align 4
  %32 = load ptr, ptr %6, align 8
  %33 = getelementptr inbounds i64, ptr %32, i64 0
  %34 = load i64, ptr %33, align 8
  %35 = call ptr (ptr, ptr, ...) @PyObject_CallFunction(ptr noundef %30, ptr noundef @.str.21, i32 noundef %31, i64 noundef %34)
  store ptr %35, ptr %4, align 8
  br label %54

36:
  %37 = load ptr, ptr %6, align 8
  %38 = getelementptr inbounds i64, ptr %37, i64 0
  %39 = load i64, ptr %38, align 8
  store i64 %39, ptr %10, align 8
  %40 = load ptr, ptr %6, align 8
  %41 = getelementptr inbounds i64, ptr %40, i64 1
  %42 = load i64, ptr %41, align 8
  switch i64 %42, label %53 [
    i64 105, label %43
    i64 102, label %46
    i64 98, label %49
  ]

43:
  %44 = load i64, ptr %10, align 8
  %45 = call ptr @PyLong_FromLongLong(i64 noundef %44)
  store ptr %45, ptr %4, align 8
  br label %54

46:
  %47 = load double, ptr %10, align 8
  %48 = call ptr @PyFloat_FromDouble(double noundef %47)
  store ptr %48, ptr %4, align 8
  br label %54

49:
  %50 = load i64, ptr %10, align 8
  %51 = and i64 %50, 1
  %52 = call ptr @PyBool_FromLong(i64 noundef %51)
  store ptr %52, ptr %4, align 8
  br label %54

53:
  call void @Py_IncRef(ptr noundef @_Py_NoneStruct)
  store ptr @_Py_NoneStruct, ptr %4, align 8
  br label %54

54:
  %55 = load ptr, ptr %4, align 8
  ret ptr %55
}

declare i32 @PyType_IsSubtype(ptr noundef, ptr noundef)

declare i64 @PyType_GetFlags(ptr noundef)

declare i64 @PyTuple_Size(ptr noundef)

declare double @PyFloat_AsDouble(ptr noundef)

declare ptr @PyObject_Call(ptr noundef, ptr noundef, ptr noundef)

declare ptr @PyEval_SaveThread()

declare void @PyEval_RestoreThread(ptr noundef)

declare ptr @PyObject_CallFunction(ptr noundef, ptr noundef, ...)

declare ptr @PyFloat_FromDouble(double noundef)

declare ptr @PyBool_FromLong(i64 noundef)

define internal ptr @call_bound(ptr noundef %0, ptr noundef %1, i64 noundef %2) {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  %8 = alloca ptr, align 8
  %9 = alloca %struct.Block, align 8
  %10 = alloca i32, align 4
  %11 = alloca i64, align 8
  %12 = alloca i32, align 4
  %13 = alloca i32, align 4
  %14 = alloca i64, align 8
  %15 = alloca i64, align 8
  store ptr %0, ptr %5, align 8
  store ptr %1, ptr %6, align 8
  store i64 %2, ptr %7, align 8
  %16 = load ptr, ptr %5, align 8
  %17 = call ptr @PyTuple_GetItem(ptr noundef %16, i64 noundef 0)
  %18 = call ptr @PyBytes_AsString(ptr noundef %17)
  store ptr %18, ptr %8, align 8
  %19 = load ptr, ptr %8, align 8
  %20 = getelementptr inbounds nuw %struct.Bound, ptr %19, i32 0, i32 1
  %21 = load i32, ptr %20, align 8
  %22 = getelementptr inbounds nuw %struct.Block, ptr %9, i32 0, i32 0
  store i32 %21, ptr %22, align 8
  %23 = getelementptr inbounds nuw %struct.Block, ptr %9, i32 0, i32 1
  store i32 0, ptr %23, align 4
  store i32 0, ptr %10, align 4
  br label %24

24:
  %25 = load i32, ptr %10, align 4
  %26 = load ptr, ptr %8, align 8
  %27 = getelementptr inbounds nuw %struct.Bound, ptr %26, i32 0, i32 1
  %28 = load i32, ptr %27, align 8
  %29 = icmp slt i32 %25, %28
  br i1 %29, label %30, label %44

30:
  %31 = load ptr, ptr %8, align 8
  %32 = getelementptr inbounds nuw %struct.Bound, ptr %31, i32 0, i32 5
  %33 = load i32, ptr %10, align 4
  %34 = sext i32 %33 to i64
  %35 = getelementptr inbounds [160 x i64], ptr %32, i64 0, i64 %34
  %36 = load i64, ptr %35, align 8
  %37 = getelementptr inbounds nuw %struct.Block, ptr %9, i32 0, i32 2
  %38 = load i32, ptr %10, align 4
  %39 = sext i32 %38 to i64
  %40 = getelementptr inbounds [160 x i64], ptr %37, i64 0, i64 %39
  store i64 %36, ptr %40, align 8
  br label %41

41:
  %42 = load i32, ptr %10, align 4
  %43 = add nsw i32 %42, 1
  store i32 %43, ptr %10, align 4
  br label %24

44:
  store i64 0, ptr %11, align 8
  br label %45

45:
  %46 = load i64, ptr %11, align 8
  %47 = load i64, ptr %7, align 8
  %48 = icmp slt i64 %46, %47
  br i1 %48, label %49, label %61

49:
  %50 = load ptr, ptr %6, align 8
  %51 = load i64, ptr %11, align 8
  %52 = getelementptr inbounds ptr, ptr %50, i64 %51
  %53 = load ptr, ptr %52, align 8
  %54 = call i32 @append(ptr noundef %9, ptr noundef %53)
  %55 = icmp ne i32 %54, 0
  br i1 %55, label %56, label %57

56:
  store ptr null, ptr %4, align 8
  br label %153

57:
  br label %58

58:
  %59 = load i64, ptr %11, align 8
  %60 = add nsw i64 %59, 1
  store i64 %60, ptr %11, align 8
  br label %45

61:
  %62 = load i64, ptr %7, align 8
  %63 = load ptr, ptr %8, align 8
  %64 = getelementptr inbounds nuw %struct.Bound, ptr %63, i32 0, i32 3
  %65 = load i32, ptr %64, align 8
  %66 = sext i32 %65 to i64
  %67 = icmp eq i64 %62, %66
  br i1 %67, label %68, label %75

68:
  %69 = getelementptr inbounds nuw %struct.Block, ptr %9, i32 0, i32 1
  %70 = load i32, ptr %69, align 4
  %71 = load ptr, ptr %8, align 8
  %72 = getelementptr inbounds nuw %struct.Bound, ptr %71, i32 0, i32 2
  %73 = load i32, ptr %72, align 4
  %74 = icmp eq i32 %70, %73
  br label %75

75:
  %76 = phi i1 [ false, %61 ], [ %74, %68 ]
  %77 = zext i1 %76 to i32
  store i32 %77, ptr %12, align 4
  store i32 0, ptr %13, align 4
  br label %78

78:
  %79 = load i32, ptr %12, align 4
  %80 = icmp ne i32 %79, 0
  br i1 %80, label %81, label %86

81:
  %82 = load i32, ptr %13, align 4
  %83 = getelementptr inbounds nuw %struct.Block, ptr %9, i32 0, i32 1
  %84 = load i32, ptr %83, align 4
  %85 = icmp slt i32 %82, %84
  br label %86

86:
  %87 = phi i1 [ false, %78 ], [ %85, %81 ]
  br i1 %87, label %88, label %134

88:
  %89 = load ptr, ptr %8, align 8
  %90 = getelementptr inbounds nuw %struct.Bound, ptr %89, i32 0, i32 6
  %91 = load i32, ptr %13, align 4
  %92 = sext i32 %91 to i64
  %93 = getelementptr inbounds [320 x i64], ptr %90, i64 0, i64 %92
  %94 = load i64, ptr %93, align 8
  store i64 %94, ptr %14, align 8
  %95 = load i64, ptr %14, align 8
  %96 = and i64 %95, 4611686018427387904
  %97 = icmp ne i64 %96, 0
  br i1 %97, label %98, label %103

98:
  %99 = load i64, ptr %14, align 8
  %100 = and i64 %99, 1
  %101 = icmp ne i64 %100, 0
  %102 = xor i1 %101, true
  br label %103

103:
  %104 = phi i1 [ false, %88 ], [ %102, %98 ]
  %105 = zext i1 %104 to i32
  %106 = sext i32 %105 to i64
  store i64 %106, ptr %15, align 8
  %107 = getelementptr inbounds nuw %struct.Block, ptr %9, i32 0, i32 3
  %108 = load i32, ptr %13, align 4
  %109 = sext i32 %108 to i64
  %110 = getelementptr inbounds [320 x i64], ptr %107, i64 0, i64 %109
  %111 = load i64, ptr %110, align 8
  %112 = load i64, ptr %14, align 8
  %113 = icmp eq i64 %111, %112
  br i1 %113, label %128, label %114

114:
  %115 = load i64, ptr %15, align 8
  %116 = icmp ne i64 %115, 0
  br i1 %116, label %117, label %126

117:
  %118 = getelementptr inbounds nuw %struct.Block, ptr %9, i32 0, i32 3
  %119 = load i32, ptr %13, align 4
  %120 = sext i32 %119 to i64
  %121 = getelementptr inbounds [320 x i64], ptr %118, i64 0, i64 %120
  %122 = load i64, ptr %121, align 8
  %123 = load i64, ptr %14, align 8
  %124 = or i64 %123, 1
  %125 = icmp eq i64 %122, %124
  br label %126

126:
  %127 = phi i1 [ false, %114 ], [ %125, %117 ]
  br label %128

128:
  %129 = phi i1 [ true, %103 ], [ %127, %126 ]
  %130 = zext i1 %129 to i32
  store i32 %130, ptr %12, align 4
  br label %131

131:
  %132 = load i32, ptr %13, align 4
  %133 = add nsw i32 %132, 1
  store i32 %133, ptr %13, align 4
  br label %78

134:
  %135 = load i32, ptr %12, align 4
  %136 = icmp ne i32 %135, 0
  br i1 %136, label %137, label %147

137:
  %138 = load ptr, ptr %8, align 8
  %139 = getelementptr inbounds nuw %struct.Bound, ptr %138, i32 0, i32 0
  %140 = load i64, ptr %139, align 8
  %141 = getelementptr inbounds nuw %struct.Block, ptr %9, i32 0, i32 2
  %142 = getelementptr inbounds [160 x i64], ptr %141, i64 0, i64 0
  %143 = load ptr, ptr %8, align 8
  %144 = getelementptr inbounds nuw %struct.Bound, ptr %143, i32 0, i32 4
  %145 = load i32, ptr %144, align 4
  %146 = call ptr @run(i64 noundef %140, ptr noundef %142, i32 noundef %145)
  store ptr %146, ptr %4, align 8
  br label %153

147:
  %148 = load ptr, ptr %5, align 8
  %149 = call ptr @PyTuple_GetItem(ptr noundef %148, i64 noundef 2)
  %150 = load ptr, ptr %6, align 8
  %151 = load i64, ptr %7, align 8
  %152 = call ptr @called(ptr noundef %149, ptr noundef %150, i64 noundef %151)
  store ptr %152, ptr %4, align 8
  br label %153

153:
  %154 = load ptr, ptr %4, align 8
  ret ptr %154
}

declare ptr @PyBytes_AsString(ptr noundef)

