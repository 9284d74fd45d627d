export { createCA, issueClient, issueServing, type CertificatePair } from './certificates.ts';
export { FollowedFiles } from './dynamic-certificates/followed-files.ts';
export { headRefusal, parserLimits, refusalText } from './head-limits.ts';
export { http1Limits, respondToClientError } from './http1-limits.ts';
export { LinkListener } from './link-listener.ts';
export {
  Listener,
  type HandshakeLimits,
  type LinkHandlers,
  type ListenerOptions,
  type ServingCertificates,
} from './listener.ts';
export { UpgradedConnections } from './upgraded-connections.ts';
