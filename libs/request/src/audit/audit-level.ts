/** How much an event holds; each level has what the one before it has. */
export type AuditLevel = 'None' | 'Metadata' | 'Request' | 'RequestResponse';

/** When in the course of a request an event is made. */
export type AuditStage = 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic';

/** The levels of audit.k8s.io/v1, from the one that tells least to the one that tells most. */
export const auditLevels: readonly AuditLevel[] = ['None', 'Metadata', 'Request', 'RequestResponse'];

/** The stages of audit.k8s.io/v1. */
export const auditStages: readonly AuditStage[] = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'];
