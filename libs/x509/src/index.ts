export { TrustedCertificates, usages, verifyChain, type Verdict } from './verify.ts';
