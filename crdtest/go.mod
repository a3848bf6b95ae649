module github.com/crdlab/crdlab/crdtest

go 1.23
