'use strict';
// https://jestjs.io/docs/configuration#preset-string
module.exports = { testEnvironment: 'node', setupFilesAfterEnv: [require.resolve('./jest-setup.cjs')] };
