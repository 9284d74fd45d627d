import type { EnvtestConfig, TestEnvironmentOptions } from './options.ts';
import { TestEnvironment } from './test-environment.ts';

/** The hooks of a test runner, such as bun:test, which run tests in the process that registers them. */
export interface TestHooks {
  readonly beforeAll: (hook: () => unknown) => void;
  readonly afterAll: (hook: () => unknown) => void;
}

/** A runner has one set of hooks in a process, and tests share nothing with them but this module. */
let current: TestEnvironment | undefined;

/** Starts one environment for all tests of the process. Throws Error when it is called again before the hooks have ended. */
export function registerEnvtest({ beforeAll, afterAll }: TestHooks, options: TestEnvironmentOptions = {}): void {
  if (current !== undefined) throw new Error('registerEnvtest was called twice');
  const environment = new TestEnvironment(options);
  current = environment;
  beforeAll(() => environment.start());
  afterAll(async () => {
    current = undefined;
    await environment.stop();
  });
}

/** The environment of registerEnvtest. Throws Error without one. */
export function envtest(): TestEnvironment {
  if (current === undefined) throw new Error('no environment: call registerEnvtest first');
  return current;
}

/** Its configuration. Throws Error before the environment has started. */
export const envtestConfig = (): EnvtestConfig => envtest().config;
