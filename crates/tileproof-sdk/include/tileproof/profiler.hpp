// Marks of the Tracy profiler: nothing is measured here.
#pragma once

#define ZoneScoped
#define ZoneScopedN(name)
#define ZoneScopedC(color)
#define ZoneScopedNC(name, color)
#define ZoneName(text, size)
#define ZoneText(text, size)
#define ZoneValue(value)
#define FrameMark
#define TracyMessage(text, size)
#define TracyMessageL(text)
