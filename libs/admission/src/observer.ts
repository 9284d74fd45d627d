import type { AdmissionOperation } from './plugin.ts';
import type { WebhookObserver } from './webhook/client.ts';

/** The two halves of admission. */
export type AdmissionStep = 'admit' | 'validate';

/** Records the duration of one plugin, or of one half, for one operation; `rejected` = it threw. */
export type AdmissionTiming = (seconds: number, rejected: boolean) => void;

/** The result of one expression of a policy, or of one policy that changes objects. */
export interface PolicyCheck {
  readonly mutating: boolean;
  readonly policy: string;
  readonly binding: string;
  readonly seconds: number;
  /** `no_error`, `compile_error`, `invalid_error`, `out_of_budget`. */
  readonly errorType: string;
  /** `allow`, `deny`, `audit`, `warn`; empty for policies that change objects. */
  readonly action: string;
}

/**
 * Receives measurements of admission. `step` and `plugin` are called once, when the
 * chain is built; the functions they return are called for every request.
 */
export interface AdmissionObserver {
  plugin(name: string, step: AdmissionStep, operation: AdmissionOperation): AdmissionTiming;
  step(step: AdmissionStep, operation: AdmissionOperation): AdmissionTiming;
  readonly policyCheck: (check: PolicyCheck) => void;
  readonly webhook: WebhookObserver;
}

const compilationPrefix = 'compilation';
const budgetPrefix = 'validation failed due to running out of cost budget';

/** The error type that metrics report, derived from the error message as in k8s.io/apiserver; undefined = there was no error. */
export function errorTypeOf(message: string | undefined): string {
  if (message === undefined) return 'no_error';
  if (message.startsWith(compilationPrefix)) return 'compile_error';
  return message.startsWith(budgetPrefix) ? 'out_of_budget' : 'invalid_error';
}
