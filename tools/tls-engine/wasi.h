/* A WebAssembly module runs as nobody: what OpenSSL asks to tell a set-uid program is answered the same for all. */
#define getuid() 0
#define geteuid() 0
#define getgid() 0
#define getegid() 0
