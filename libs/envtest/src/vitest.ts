import { TestEnvironment, type EnvtestConfig, type TestEnvironmentOptions } from './test-environment.ts';

/** What vitest hands to a global set-up. */
interface GlobalSetupProject {
  provide(key: 'envtest', value: EnvtestConfig): void;
}

/**
 * A `globalSetup` of vitest: one environment for all test files, which get its configuration by `inject('envtest')`. The types of that key are the
 * test's to declare: `declare module 'vitest' { interface ProvidedContext { envtest: EnvtestConfig } }`.
 */
export function createVitestGlobalSetup(
  options: TestEnvironmentOptions = {},
): (project: GlobalSetupProject) => Promise<() => Promise<void>> {
  return async (project) => {
    const environment = new TestEnvironment(options);
    project.provide('envtest', await environment.start());
    return () => environment.stop();
  };
}
