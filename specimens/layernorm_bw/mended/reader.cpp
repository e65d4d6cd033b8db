// The same as the published one: its faults are in compute.
#include "../published/reader.cpp"
