# SPDX-License-Identifier: MIT
# Provider files in the manner of real projects: each macro compiles in C and C++, in both forms, and the recorded form links alone.
need clang
# all FILE - a program that uses every macro of the header with zeros.
all() {
	header -s $1.d -o $1.h 2>/dev/null
	{
		cat $1.pre 2>/dev/null || :
		echo "#include \"$1.h\""
		echo "int main(void)"
		echo "{"
		sed -n 's/^#define \([A-Za-z0-9_]*(.*)\) \\$/\1/p' $1.h | sed 's/arg[0-9]*/0/g; s/$/;/; s/^\([A-Z0-9_]*_ENABLED.*\);/if (\1) {}/'
		echo "return 0;"
		echo "}"
	} >$1.c
	echo "$1: $(grep -c '_ENABLED' $1.c) probes"
	for c in gcc "gcc -x c++" clang "clang -x c++"; do
		for form in "" -DSDT_USE_CALLS; do
			cc $c -Wno-empty-body $form -c $1.c -o $1.o || echo "$c $form"
		done
		cc $c -Wno-empty-body $1.c -o $1 && ./$1
	done
}
cat >qemu.d <<'X'
provider qemu {
        probe qemu_vfio_dma_reset_temporary(void * s);
        probe bdrv_open_common(void * bs,const char * filename,int flags,const char * format_name);
        probe virtio_blk_rw_complete(void * vdev,void * req,int ret);
        probe ten(int a,int b,unsigned int c,uint64_t d,int64_t e,uint8_t f,bool g,size_t next_,char* h,void* i);

};
X
cat >Xserver.d <<'X'
#ifdef __APPLE__
#define string char *
#define pid_t uint32_t
#define zoneid_t uint32_t
#elif defined(__FreeBSD__)
#define zoneid_t id_t
#else
#include <sys/types.h>
#endif
typedef const uint8_t *const_uint8_p;
typedef const double *const_double_p;
provider Xserver {
	probe request__start(string, uint8_t, uint16_t, int, void *);
	probe client__auth(int, string, pid_t, zoneid_t);
	probe input__event(int, int, uint32_t, uint32_t, int8_t, const_uint8_p, const_double_p);
};
#pragma D attributes Unstable/Unstable/Common provider Xserver provider
X
cat >tclDTrace.d <<'X'
typedef struct Tcl_Obj Tcl_Obj;
typedef const char* TclDTraceStr;
provider tcl {
    probe proc__entry(TclDTraceStr name, int objc, struct Tcl_Obj **objv);
    probe proc__result(TclDTraceStr name, int code, TclDTraceStr result, Tcl_Obj *resultobj);
    probe cmd__info(TclDTraceStr cmd, TclDTraceStr type, TclDTraceStr proc, TclDTraceStr file, int line, int level,
	    TclDTraceStr method, TclDTraceStr class);
    probe inst__start(TclDTraceStr name, int depth, struct Tcl_Obj **stack);
    probe tcl__probe(TclDTraceStr strtclarg0, TclDTraceStr strtclarg1, TclDTraceStr a2, TclDTraceStr a3,
	    TclDTraceStr a4, TclDTraceStr a5, TclDTraceStr a6, TclDTraceStr a7, TclDTraceStr a8, TclDTraceStr a9);
};
typedef struct Tcl_Interp { char *result; void *freeProc; union { long l; double *d; } u; int line; } Tcl_Interp;
enum return_codes { TCL_OK = 0, TCL_ERROR };
#pragma D attributes Evolving/Evolving/Common provider tcl provider
X
cat >libvirt_probes.d <<'X'
provider libvirt {
	# file: src/util/vireventpoll.c
	# prefix: event_poll
	probe event_poll_add_handle(int watch, int fd, int events, void *cb, void *opaque, void *ff);
	probe event_poll_purge_timeout(int timer);
	# file: src/rpc/virnetsocket.c
	# prefix: rpc
	probe rpc_socket_new(void *sock, int fd, int errfd, pid_t pid, const char *localAddr, const char *remoteAddr);
	probe rpc_tls_session_handshake_pass(void *sess);
	probe rpc_client_msg_tx_queue(void *client, int len, unsigned prog, unsigned vers, unsigned proc, unsigned type,
		unsigned status, unsigned serial);
};
X
{
	echo 'provider erlang {'
	echo ' probe dist__outputv(char *node, char *port, char *remote_node, int bytes);'
	echo ' probe efile_drv__entry(int tid, int tag, char *utag, int op, char *s1, char *s2, int64_t a, int64_t b, int64_t c, int64_t d, char *p);'
	i=0
	while [ $i -lt 100 ]; do
		echo " probe user_trace__n$i(char *proc, char *user_tag, int i1, int i2, int i3, int i4, char *s1, char *s2, char *s3, char *s4);"
		i=$((i + 1))
	done
	echo '};'
} >erlang_dtrace.d
all qemu
all Xserver
all tclDTrace
all libvirt_probes
all erlang_dtrace
# as many probes as Erlang really has
{ echo 'provider erlang {'; seq 1022 | sed 's/.*/ probe user_trace__n&(char *proc, char *tag, int i1, int i2);/'; echo '};'; } >many.d
header -s many.d -o many.h
grep -c '^#define ERLANG_USER_TRACE_N[0-9]*(' many.h
link -s many.d -o many.o
declared many.o | wc -l
