import type { EnvtestConfig, TestEnvironmentOptions } from './options.ts';
import { TestEnvironment } from './test-environment.ts';

/** The argument that vitest passes to a global setup. */
interface GlobalSetupProject {
  provide(key: 'envtest', value: EnvtestConfig): void;
}

/**
 * A `globalSetup` for vitest: one environment for all test files, which get its configuration with `inject('envtest')`. The test declares the type
 * of that key: `declare module 'vitest' { interface ProvidedContext { envtest: EnvtestConfig } }`.
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
