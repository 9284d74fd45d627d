export { serverVerification } from './server-verification.ts';
export { TrustedCertificates, usages, verifyChain, type Verdict } from './verify.ts';
