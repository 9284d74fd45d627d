import { strict as assert } from 'node:assert';
import { lines, object } from '../common/errors.fixture.ts';
import { validateSigningRequestApproval, validateSigningRequestStatus } from './csr-status.ts';

const csr = (status: Record<string, unknown>) => object('CertificateSigningRequest', 'x', { spec: {}, status });
const checks = { status: validateSigningRequestStatus, approval: validateSigningRequestApproval };
const written = (
  subresource: keyof typeof checks,
  status: Record<string, unknown>,
  old: Record<string, unknown> = {},
): string[] => lines(checks[subresource](csr(status), csr(old)));
const pem = (type: string, body: string) =>
  Buffer.from(`-----BEGIN ${type}-----\n${body}\n-----END ${type}-----\n`).toString('base64');

describe('certificate signing requests', () => {
  it('checks each condition of an approval', () => {
    const conditions = [
      { type: '', status: '' },
      { type: 'A', status: 'x' },
      { type: 'A', status: 'True' },
    ];
    assert.deepEqual(written('approval', { conditions }), [
      'status.conditions[0].type: Required value',
      'status.conditions[0].status: Required value',
      'status.conditions[1].status: Unsupported value: "x": supported values: "False", "True", "Unknown"',
      'status.conditions[2].type: Duplicate value: "A"',
    ]);
  });

  it('tells of decisions that were taken back before those that came', () => {
    const conditions = [{ type: 'Approved', status: 'True' }];
    const old = { conditions: [{ type: 'Failed', status: 'True' }] };
    assert.deepEqual(written('status', { conditions }, old), [
      'status.conditions: Forbidden: updates may not remove a condition of type "Failed"',
      'status.conditions: Forbidden: updates may not add a condition of type "Approved"',
    ]);
  });

  it('lets conditions stay that are not as they should be', () => {
    const conditions = [
      { type: 'Approved', status: 'True' },
      { type: 'Denied', status: 'True' },
      { type: 'Denied', status: 'True' },
    ];
    assert.deepEqual(written('approval', { conditions }, { conditions }), []);
  });

  it('takes certificates alone as what was issued', () => {
    const issued = (certificate: string) => written('status', { certificate });
    const problem = (detail: string) => [`status.certificate: Invalid value: "<certificate data>": ${detail}`];
    assert.deepEqual(issued('eHg='), problem('must contain at least one CERTIFICATE PEM block'));
    assert.deepEqual(
      issued(pem('PRIVATE KEY', 'AAAA')),
      problem('only CERTIFICATE PEM blocks are allowed, found "PRIVATE KEY"'),
    );
    assert.deepEqual(issued(pem('CERTIFICATE', 'a: b\n\nAAAA')), problem('no PEM block headers are permitted'));
    assert.deepEqual(issued(pem('CERTIFICATE', 'AAAA')), problem('x509: malformed certificate'));
  });

  it('neither replaces nor takes away what was issued', () => {
    const old = { certificate: 'AAAA' };
    const final = 'status.certificate: Forbidden: updates may not modify existing certificate content';
    const problem =
      'status.certificate: Invalid value: "<certificate data>": must contain at least one CERTIFICATE PEM block';
    assert.deepEqual(written('status', {}, old), [final]);
    assert.deepEqual(written('status', { certificate: 'eHg=' }, old), [problem, final]);
    assert.deepEqual(written('status', old, old), []);
  });
});
