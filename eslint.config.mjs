import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: [
      '**/node_modules/**',
      '**/dist/**',
      '**/generated/**',
      '.nx/**',
      '.apichain/**',
      'eslint.config.mjs',
      'apps/apichain/start.js',
      'tools/package/files/**',
      'tools/workspace/projects.mjs',
    ],
  },
  ...tseslint.configs.recommendedTypeChecked,
  {
    files: ['**/*.ts', '**/*.tsx'],
    languageOptions: {
      parserOptions: {
        // One program for nearly everything. One for each library takes 25% longer and more than 4 GB in each process.
        project: ['tsconfig.json', 'libs/console/src/web/tsconfig.json', 'tools/site/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
      'no-restricted-syntax': [
        'error',
        {
          selector:
            ":matches(PropertyDefinition, AccessorProperty, MethodDefinition[kind!='constructor'], TSAbstractPropertyDefinition, TSAbstractMethodDefinition)[accessibility='private']",
          message: 'Private members are written with #.',
        },
      ],
      'no-empty': 'error',
      'no-console': 'error',
      eqeqeq: 'error',
    },
  },
  {
    files: ['**/*.test.ts'],
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
    },
  },
  {
    // Test support copies what users hand in, which no decoder has made.
    files: ['libs/**/*.ts'],
    ignores: ['**/*.test.ts', '**/*.fixture.ts', 'libs/testing/**', 'libs/envtest/**'],
    rules: {
      'no-restricted-globals': [
        'error',
        { name: 'structuredClone', message: 'It loses the facts of containers. Use deepClone of @apichain/meta.' },
      ],
    },
  },
  {
    files: ['tools/**/*.ts', '{examples,templates}/**/*.ts', 'apps/apichain/**/*.ts', 'apps/e2e/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    // A command that needs no server must not load one: that takes long and stays in memory for as long as `up` runs.
    files: ['apps/apichain/src/**/*.ts'],
    ignores: ['apps/apichain/src/open/opened-backup.ts', 'apps/apichain/src/up/in-process.ts', '**/*.test.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: '@apichain/chain',
              message: 'Import from @apichain/chain/setup, which loads no server.',
              allowTypeImports: true,
            },
          ],
        },
      ],
    },
  },
  {
    files: ['examples/**/*.ts', 'templates/**/*.ts'],
    rules: {
      '@typescript-eslint/no-floating-promises': [
        'error',
        { allowForKnownSafeCalls: [{ from: 'package', package: 'node:test', name: ['test'] }] },
      ],
    },
  },
  prettier,
);
