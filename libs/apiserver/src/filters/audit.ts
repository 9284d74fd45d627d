import type { UserInfo } from '@apichain/authn';
import { goQuote } from '@apichain/go-text';
import type { Audit } from '@apichain/audit';
import { AuditTrail } from '@apichain/audit';
import { scopeOf } from '@apichain/request';
import { sanitizeHtml, writeTextError } from '@apichain/request';
import type { Filter } from '@apichain/request';

/**
 * Writes the events of the requests that the policy wants audited; between authentication and impersonation. `self` is who the server itself
 * is: what it asks a later server of the chain about the rights of a caller is no request that anybody made.
 */
export function auditing(audit: Audit, self: UserInfo): Filter {
  return (request, response, next) => {
    const scope = scopeOf(request);
    if (scope.user === self && scope.requestInfo.resource === 'subjectaccessreviews') {
      next();
      return;
    }
    const decision = audit.evaluator.evaluate(scope.user, scope.requestInfo);
    audit.metrics.level(decision.level);
    if (decision.level === 'None') {
      next();
      return;
    }
    const trail = new AuditTrail(scope, scope.user, decision, audit);
    scope.audit?.track('authentication', scope.authenticationMs);
    const goOn = (isStored: boolean) => {
      if (isStored) {
        trail.follow();
        next();
        return;
      }
      audit.metrics.rejected();
      const text = `Internal Server Error: ${goQuote(request.url ?? '')}: failed to store audit event`;
      writeTextError(response, 500, sanitizeHtml(text));
    };
    const stored = trail.reach('RequestReceived');
    if (typeof stored === 'boolean') goOn(stored);
    else stored.then(goOn).catch(next);
  };
}

/** Before a 401 is answered. */
export function auditingRefusals(audit: Audit): (request: Parameters<Filter>[0]) => void {
  return (request) => {
    const scope = scopeOf(request);
    const decision = audit.evaluator.evaluate(undefined, scope.requestInfo);
    audit.metrics.level(decision.level);
    if (decision.level !== 'None') new AuditTrail(scope, undefined, decision, audit).followRefusal();
  };
}
