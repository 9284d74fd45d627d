import type { AdmissionOperation } from './plugin.ts';
import type { WebhookObserver } from './webhook/client.ts';

/** The two halves of admission. */
export type AdmissionStep = 'admit' | 'validate';

/** Counts one plugin, or one half, for one operation; `rejected` = it threw. */
export type AdmissionTiming = (seconds: number, rejected: boolean) => void;

/** What one expression of a policy, or one policy that changes objects, came to. */
export interface PolicyCheck {
  readonly mutating: boolean;
  readonly policy: string;
  readonly binding: string;
  readonly seconds: number;
  /** `no_error`, `compile_error`, `invalid_error`, `out_of_budget`. */
  readonly errorType: string;
  /** `allow`, `deny`, `audit`, `warn`; nothing for those that change objects. */
  readonly action: string;
}

/** Who measures admission. The first two are asked when the chain is made, what they give back is called for every request. */
export interface AdmissionObserver {
  plugin(name: string, step: AdmissionStep, operation: AdmissionOperation): AdmissionTiming;
  step(step: AdmissionStep, operation: AdmissionOperation): AdmissionTiming;
  readonly policyCheck: (check: PolicyCheck) => void;
  readonly webhook: WebhookObserver;
}

const compilationPrefix = 'compilation';
const budgetPrefix = 'validation failed due to running out of cost budget';

/** How metrics call an error, told by its text as k8s.io/apiserver does; undefined = there was none. */
export function errorTypeOf(message: string | undefined): string {
  if (message === undefined) return 'no_error';
  if (message.startsWith(compilationPrefix)) return 'compile_error';
  return message.startsWith(budgetPrefix) ? 'out_of_budget' : 'invalid_error';
}
