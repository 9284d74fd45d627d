/** The bits of the key usage extension by the usages of the API. Source: RFC 5280, section 4.2.1.3. */
const keyUsageBits: ReadonlyMap<string, number> = new Map([
  ['signing', 1],
  ['digital signature', 1],
  ['content commitment', 2],
  ['key encipherment', 4],
  ['data encipherment', 8],
  ['key agreement', 16],
  ['cert sign', 32],
  ['crl sign', 64],
  ['encipher only', 128],
  ['decipher only', 256],
]);

/** The object identifiers of extended key usages by the usages of the API, in the order in which a certificate lists them. */
const extendedKeyUsageIds: ReadonlyMap<string, string> = new Map([
  ['any', '2.5.29.37.0'],
  ['server auth', '1.3.6.1.5.5.7.3.1'],
  ['client auth', '1.3.6.1.5.5.7.3.2'],
  ['code signing', '1.3.6.1.5.5.7.3.3'],
  ['email protection', '1.3.6.1.5.5.7.3.4'],
  ['s/mime', '1.3.6.1.5.5.7.3.4'],
  ['ipsec end system', '1.3.6.1.5.5.7.3.5'],
  ['ipsec tunnel', '1.3.6.1.5.5.7.3.6'],
  ['ipsec user', '1.3.6.1.5.5.7.3.7'],
  ['timestamping', '1.3.6.1.5.5.7.3.8'],
  ['ocsp signing', '1.3.6.1.5.5.7.3.9'],
  ['microsoft sgc', '1.3.6.1.4.1.311.10.3.3'],
  ['netscape sgc', '2.16.840.1.113730.4.1'],
]);

/** The extensions of a certificate for usages of the API. Throws Error for a usage that does not exist. */
export function extensionsOf(usages: readonly string[]): { keyUsage: number; extendedKeyUsages: string[] } {
  const unknown = usages.filter((usage) => !keyUsageBits.has(usage) && !extendedKeyUsageIds.has(usage));
  if (unknown.length > 0)
    throw new Error(`unrecognized usage values: [${unknown.map((usage) => JSON.stringify(usage)).join(' ')}]`);
  const ids = [...extendedKeyUsageIds].filter(([usage]) => usages.includes(usage)).map(([, id]) => id);
  return {
    keyUsage: usages.reduce((bits, usage) => bits | (keyUsageBits.get(usage) ?? 0), 0),
    extendedKeyUsages: [...new Set(ids)],
  };
}
