import { goQuote } from '@apichain/go-text';
import type { AuthorizationAttributes, AuthorizationResult, Authorizer } from '@apichain/authz';
import type { RequestAudit } from '@apichain/request';
import { scopeOf } from '@apichain/request';
import { sanitizeHtml, writeStatusError, writeTextError } from '@apichain/request';
import { attributesOf, forbidden } from './authorization-attributes.ts';
import type { AuthorizationOutcome } from '@apichain/observability';
import type { Filter } from '@apichain/request';

/** Authorizes the request. Requests that an earlier server of the chain has authorized are not checked again. */
export function authorization(
  authorizer: Authorizer,
  onDecision: (outcome: AuthorizationOutcome, seconds: number) => void = () => undefined,
): Filter {
  return (request, response, next) => {
    const scope = scopeOf(request);
    if (scope.delegated) {
      next();
      return;
    }
    const attributes = attributesOf(scope);
    const { audit, track } = scope;
    const since = performance.now();
    const pending = authorizer.authorize(attributes);
    const decide = (result: AuthorizationResult) => {
      track?.('authorization', performance.now() - since);
      if (audit !== undefined) note(audit, result);
      onDecision(outcomeOf(result), (performance.now() - since) / 1000);
      if (result.decision === 'Allow') next();
      else refuse(attributes, result);
    };
    const refuse = (asked: AuthorizationAttributes, result: AuthorizationResult) => {
      response.setHeader('X-Content-Type-Options', 'nosniff');
      if (failed(result)) {
        const text = `Internal Server Error: ${goQuote(request.url ?? '')}: ${result.evaluationError ?? ''}`;
        writeTextError(response, 500, sanitizeHtml(text));
      } else writeStatusError(request, response, forbidden(asked, result.reason));
    };
    const fail = (error: unknown) => {
      onDecision('error', (performance.now() - since) / 1000);
      next(error);
    };
    if (pending instanceof Promise) pending.then(decide, fail).catch(next);
    else decide(pending);
  };
}

/** No authorizer allowed the request, and at least one failed. */
const failed = ({ decision, evaluationError }: AuthorizationResult): boolean =>
  decision !== 'Allow' && evaluationError !== undefined;

function note(audit: RequestAudit, result: AuthorizationResult): void {
  const { decision, reason } = result;
  if (!failed(result)) audit.annotate('authorization.k8s.io/decision', decision === 'Allow' ? 'allow' : 'forbid');
  audit.annotate('authorization.k8s.io/reason', failed(result) ? 'internal error' : reason);
}

function outcomeOf({ decision, evaluationError }: AuthorizationResult): AuthorizationOutcome {
  if (decision === 'Allow') return 'allowed';
  if (evaluationError !== undefined) return 'error';
  return decision === 'Deny' ? 'denied' : 'no-opinion';
}
