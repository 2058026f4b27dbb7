// Command etcd runs the etcd server. The upstream main package is not importable from the module registry because its
// go.mod uses local replacements, but the server that it starts is.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() { etcdmain.Main(os.Args) }
