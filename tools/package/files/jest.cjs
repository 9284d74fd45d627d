'use strict';
const jest = require('./load.cjs')('jest');

// jest gives each file globals of its own. Only a module that jest itself has loaded sees them.
module.exports = { ...jest, useChain: (options) => jest.useChainIn(globalThis, options) };
