'use strict';
const { problem } = require('./node-version.cjs');

if (problem !== undefined) throw new Error(problem);

// The modules of Node that jest gives to a file cannot load ES modules; those of the process outside of it can. So jest needs no flag, and what
// a worker has loaded serves all its test files.
const { runInThisContext } = require('node:vm');

module.exports = (name) =>
  runInThisContext('process').getBuiltinModule('node:module').createRequire(__filename)(`../lib/${name}.js`);
