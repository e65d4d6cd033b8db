// A kernel that does nothing.
void kernel_main() {}
