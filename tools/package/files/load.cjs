'use strict';
const { problem } = require('./node-version.cjs');

if (problem !== undefined) throw new Error(problem);

/** Loads an ES module of the package. The `require` of jest cannot do that, Node's can, so that no flag is needed. */
module.exports = (name) => process.getBuiltinModule('node:module').createRequire(__filename)(`../lib/${name}.js`);
