import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '@apichain/meta';
import { type Check, type Finding, fail, ok, warn } from './finding.ts';

const about = 'certificates';
const dayMs = 24 * 3_600_000;
/** `apichain up` renews certificates that expire in less than this time. */
const renewBeforeMs = 30 * dayMs;

/** Checks every certificate: it is readable, matches its key, is signed by its authority and is valid today. */
export const checkCertificates: Check = ({ root }) => {
  const pki = join(root, 'pki');
  const names = existsSync(pki) ? readdirSync(pki).filter((name) => name.endsWith('.crt')) : [];
  if (names.length === 0) return [ok(about, 'none yet: apichain up makes them')];
  const problems = names.flatMap((name) => problemsOf(pki, name.slice(0, -'.crt'.length)));
  return problems.length > 0
    ? problems
    : [ok(about, `${names.length} are valid, the first until ${firstEnd(pki, names)}`)];
};

function problemsOf(pki: string, name: string): Finding[] {
  try {
    return examine(pki, name);
  } catch (error) {
    return [fail(about, `${join(pki, name)}.crt or its key cannot be read: ${errorMessage(error)}: remove both`)];
  }
}

function examine(pki: string, name: string): Finding[] {
  const certificate = read(pki, `${name}.crt`);
  const file = join(pki, `${name}.crt`);
  const findings: Finding[] = [];
  if (!certificate.checkPrivateKey(createPrivateKey(readFileSync(join(pki, `${name}.key`)))))
    findings.push(fail(about, `${file} does not belong to its key: remove both`));
  const issuer = name === 'front-proxy-client' || name === 'front-proxy-ca' ? 'front-proxy-ca' : 'ca';
  if (!certificate.verify(read(pki, `${issuer}.crt`).publicKey))
    findings.push(fail(about, `${file} is not signed by ${issuer}.crt: apichain up makes it anew`));
  const left = certificate.validToDate.getTime() - Date.now();
  if (certificate.validFromDate.getTime() > Date.now())
    findings.push(fail(about, `${file} is valid from ${certificate.validFrom}: is this machine's clock right?`));
  else if (left < 0) findings.push(fail(about, `${file} expired on ${certificate.validTo}: apichain up makes it anew`));
  else if (left < renewBeforeMs)
    findings.push(
      warn(about, `${file} expires in ${Math.floor(left / dayMs)} days: the next apichain up makes it anew`),
    );
  return findings;
}

function firstEnd(pki: string, names: readonly string[]): string {
  const ends = names.map((name) => read(pki, name).validToDate.getTime());
  return new Date(Math.min(...ends)).toISOString().slice(0, 10);
}

const read = (pki: string, file: string) => new X509Certificate(readFileSync(join(pki, file)));
