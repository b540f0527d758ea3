#ifndef @LIBRARY@_H
#define @LIBRARY@_H

@includes@
#endif
