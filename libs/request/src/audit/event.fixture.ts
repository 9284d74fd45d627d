import { AuditEvent, type EventFields } from './event.ts';

/** An event of the user bob, at the level Request. */
export const testEvent = (more: Partial<EventFields> = {}): AuditEvent =>
  new AuditEvent({
    level: 'Request',
    auditID: 'id-1',
    stage: 'ResponseComplete',
    requestURI: '/api/v1/namespaces/default/pods',
    verb: 'create',
    user: { name: 'bob', uid: '', groups: ['dev', 'ops'], extra: {} },
    impersonatedUser: undefined,
    impersonationConstraint: '',
    sourceIPs: ['10.0.0.1'],
    userAgent: 'test',
    objectRef: { resource: 'pods', namespace: 'default', name: '', apiVersion: 'v1' },
    responseStatus: { code: 201 },
    requestObject: '{"a":1}',
    responseObject: undefined,
    requestReceivedAt: Date.UTC(2026, 0, 2, 3, 4, 5, 60),
    stageAt: Date.UTC(2026, 0, 2, 3, 4, 5, 70),
    annotations: { 'b/b': '2', 'a/a': '1' },
    ...more,
  });
