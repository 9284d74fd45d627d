'use strict';
require('./load.cjs')('jest').setUpPreset(globalThis);
