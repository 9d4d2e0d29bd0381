// RapidJSON, compiled in a namespace of ours, since a program may bring its own copy and set the macros differently. Other sources include
// this header only.
#pragma once

#define RAPIDJSON_NAMESPACE fractile::rapidjson
#define RAPIDJSON_NAMESPACE_BEGIN namespace fractile::rapidjson {
#define RAPIDJSON_NAMESPACE_END }

#include <rapidjson/document.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/reader.h>
#include <rapidjson/schema.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

// This include stands after reader.h, which includes internal/stack.h by the path that fuzz/ignored.txt expects.
#include <rapidjson/error/en.h>
