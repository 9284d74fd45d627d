import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import type { Plain } from '@apichain/meta';
import { Accounts, namespace, type Account } from './accounts.ts';
import { type Chain, startChain } from './chain.ts';
import type { HttpResponse } from './http.ts';

const certificates = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const claims = `/apis/resource.k8s.io/v1/namespaces/${namespace}/resourceclaims`;
const signer = 'example.com/signer';

const rule = (apiGroup: string, resource: string, verbs: readonly string[], resourceNames?: readonly string[]) => ({
  apiGroups: [apiGroup],
  resources: [resource],
  verbs,
  ...(resourceNames === undefined ? {} : { resourceNames }),
});

const forms = { 'three services': [], 'one process': ['--in-process'] };

/** Rights that are checked in addition to the right to the request itself: impersonation, signing, writing parts of a claim. */
for (const [form, args] of Object.entries(forms))
  describe(`special rights of service accounts in ${form}`, function () {
    this.timeout(480_000);
    let chain: Chain;
    const accounts = new Accounts(() => chain);

    before(async () => {
      chain = await startChain({ args: [...args, '--controllers=-*'] });
      await accounts.make('/api/v1/namespaces', { metadata: { name: namespace } });
    });
    after(() => chain?.stop());

    /** Grants the rules one by one. The request must be refused before all rules are granted, and not refused afterwards. */
    const needs = async (
      name: string,
      ask: (account: Account) => Promise<HttpResponse>,
      rules: readonly Plain[],
    ): Promise<HttpResponse> => {
      const account = await accounts.account(name);
      for (const [index, missing] of rules.entries()) {
        const refused = await ask(account);
        assert.equal(refused.status, 403, `without rule ${index}: ${refused.text}`);
        await accounts.grant(name, missing);
      }
      const allowed = await ask(account);
      assert.notEqual(allowed.status, 403, allowed.text);
      return allowed;
    };

    it('impersonate users, groups, uids and extras one by one, by name', async () => {
      const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
      const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
      const headers: Record<string, string> = {
        'impersonate-user': 'alice',
        'impersonate-group': 'staff',
        'impersonate-uid': 'u-1',
        'impersonate-extra-scope': 'view',
      };
      const response = await needs('impersonator', (account) => account.send('POST', path, review, headers), [
        rule('', 'users', ['impersonate'], ['alice']),
        rule('', 'groups', ['impersonate'], ['staff']),
        rule('authentication.k8s.io', 'userextras/scope', ['impersonate'], ['view']),
        rule('authentication.k8s.io', 'uids', ['impersonate'], ['u-1']),
      ]);
      assert.equal(response.status, 201, response.text);
      const { userInfo } = response.json<{ status: { userInfo: { username: string; groups: string[] } } }>().status;
      assert.equal(userInfo.username, 'alice');
      assert.deepEqual(userInfo.groups, ['staff', 'system:authenticated']);
      const other = await accounts.account('other', rule('', 'users', ['impersonate'], ['alice']));
      assert.equal((await other.send('POST', path, review, { 'impersonate-user': 'root' })).status, 403);
      const masters = { 'impersonate-user': 'alice', 'impersonate-group': 'system:masters' };
      assert.equal((await other.send('POST', path, review, masters)).status, 403);
    });

    for (const [index, [method, path, resource, verb]] of (
      [
        ['GET', '/api/v1/nodes/none/proxy/stats/summary', 'nodes/proxy', 'get'],
        ['POST', '/api/v1/nodes/none/proxy/run', 'nodes/proxy', 'create'],
        ['GET', `/api/v1/namespaces/${namespace}/pods/none/log`, 'pods/log', 'get'],
        ['POST', `/api/v1/namespaces/${namespace}/pods/none/exec?command=x&stdout=true`, 'pods/exec', 'create'],
        ['POST', `/api/v1/namespaces/${namespace}/pods/none/attach?stdout=true`, 'pods/attach', 'create'],
        ['POST', `/api/v1/namespaces/${namespace}/pods/none/portforward`, 'pods/portforward', 'create'],
        ['GET', `/api/v1/namespaces/${namespace}/pods/none/proxy/a`, 'pods/proxy', 'get'],
        ['GET', `/api/v1/namespaces/${namespace}/services/none/proxy/a`, 'services/proxy', 'get'],
      ] as const
    ).entries())
      it(`reach kubelets, pods and services: ${verb} ${resource}`, async () => {
        const [parent = ''] = resource.split('/');
        const response = await needs(`proxied-${index}`, (account) => account.send(method, path), [
          // A right to the parent object, or to another verb of the subresource, does not include this verb of the subresource.
          rule('', parent, ['*']),
          rule('', resource, [verb === 'get' ? 'create' : 'get']),
          rule('', resource, [verb]),
        ]);
        assert.ok(response.status === 404 || response.status === 400 || response.status === 503, response.text);
      });

    const requested = async (name: string): Promise<void> => {
      const args = ['req', '-new', '-newkey', 'ed25519', '-nodes', '-keyout', '/dev/null', '-subj', '/CN=x'];
      const pem = execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'ignore'] });
      await accounts.make(certificates, {
        metadata: { name },
        spec: { request: pem.toString('base64'), signerName: signer, usages: ['client auth'] },
      });
    };
    const mayUpdate = (subresource: string) =>
      rule('certificates.k8s.io', `certificatesigningrequests/${subresource}`, ['get', 'update', 'patch']);
    const ofSigner = (verb: string) => rule('certificates.k8s.io', 'signers', [verb], [signer]);
    const condition = (type: string) => ({ type, status: 'True', reason: 'Test', message: 'a test' });
    const merge = { 'content-type': 'application/merge-patch+json' };

    it('approve certificate requests of a signer', async () => {
      await requested('approved');
      const change = { status: { conditions: [condition('Approved')] } };
      const approve = (account: Account) => account.send('PATCH', `${certificates}/approved/approval`, change, merge);
      const rules = [mayUpdate('approval'), ofSigner('approve')];
      assert.equal((await needs('approver', approve, rules)).status, 200);
      const signing = await accounts.account('only-signs', mayUpdate('approval'), ofSigner('sign'));
      assert.equal((await approve(signing)).status, 403);
    });

    it('sign certificate requests of a signer', async () => {
      await requested('signed');
      const change = { status: { conditions: [condition('Failed')] } };
      const sign = (account: Account) => account.send('PATCH', `${certificates}/signed/status`, change, merge);
      const approving = await accounts.account('only-approves', mayUpdate('status'), ofSigner('approve'));
      assert.equal((await sign(approving)).status, 403);
      assert.equal((await needs('signer', sign, [mayUpdate('status'), ofSigner('sign')])).status, 200);
    });

    it('bind resource claims, beside the right to write their status', async () => {
      await accounts.make(claims, {
        metadata: { name: 'claim' },
        spec: { devices: { requests: [{ name: 'a', exactly: { deviceClassName: 'gpu' } }] } },
      });
      const change = {
        status: {
          allocation: { devices: { results: [{ request: 'a', driver: 'd.example.com', pool: 'p', device: 'x' }] } },
        },
      };
      const bind = (account: Account) => account.send('PATCH', `${claims}/claim/status`, change, merge);
      const status = rule('resource.k8s.io', 'resourceclaims/status', ['get', 'update', 'patch']);
      const unbound = await accounts.account('binder', status);
      const refused = await bind(unbound);
      assert.ok([403, 422].includes(refused.status), refused.text);
      assert.match(refused.text, /resourceclaims\/binding/);
      await accounts.grant('binder', rule('resource.k8s.io', 'resourceclaims/binding', ['update', 'patch']));
      const bound = await bind(unbound);
      assert.equal(bound.status, 200, bound.text);
    });
  });
