import 'reflect-metadata';
import * as X509 from '@peculiar/x509';

// A module of its own, so that a bundle has the library, its polyfill and its dependencies in one file.
export { X509 };
