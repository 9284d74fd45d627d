'use strict';
const module_ = require('./load.cjs')('jest');

// jest gives each file globals of its own. Only a module that jest itself has loaded sees them.
module.exports = { ...module_, useChain: (options) => module_.useChainIn(globalThis, options) };
