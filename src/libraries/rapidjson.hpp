// RapidJSON, compiled as a namespace of ours: a program may bring one along, and may have set its macros otherwise. Nothing else includes it.
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

// After reader.h, so that fuzz/ignored.txt knows internal/stack.h by its own path.
#include <rapidjson/error/en.h>
