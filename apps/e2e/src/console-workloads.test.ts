import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { BrowserPage } from './browser.ts';
import { waitFor } from './chain.ts';
import { succeeds } from './command-line.ts';
import { ConsoleChain } from './console-chain.ts';
import { requireChromium, requireKubectl } from './requirements.ts';

/** What `simulate.apichain.dev` does with the pods of a template, and how long a rollout may take. */
const neverReady = JSON.stringify({
  spec: {
    progressDeadlineSeconds: 1,
    template: { metadata: { annotations: { 'simulate.apichain.dev/ready': 'never' } } },
  },
});

describe('the workloads in the console', () => {
  let chain: ConsoleChain;
  let root: string;
  let directory: readonly string[];
  let browser: BrowserPage;

  before(async function () {
    this.timeout(480_000);
    requireChromium(this);
    requireKubectl(this);
    chain = new ConsoleChain('workloads');
    ({ root, directory } = chain);
    await succeeds('up', '--detach', ...directory, '--in-process', '--memory', '--simulate=2', '--console');
    browser = await chain.open();
    kubectl('create', 'namespace', 'shop');
    await browser.page.click('nav >> text=Workloads');
    await browser.shows('h1', 'Workloads');
    // A page that is loaded again does not have it.
    await browser.page.evaluate('window.isFirst = true');
  });
  after(() => chain?.close());
  afterEach(async () => {
    await chain.assertSound();
    assert.equal(await browser.page.evaluate('window.isFirst'), true);
  });

  const kubectl = (...args: string[]) => chain.kubectl(args);
  const rowOf = (section: string, text: string, page = browser.page) =>
    page.locator(`section[aria-label="${section}"] tbody tr`, { hasText: text });
  const shows = (section: string, row: string, text: string | RegExp, page = browser.page) =>
    rowOf(section, row, page).filter({ hasText: text }).first().waitFor();

  it('show nodes with what is allocatable, and that they are simulated', async () => {
    for (const name of ['node-1', 'node-2']) {
      await shows('Nodes', name, 'simulated');
      await shows('Nodes', name, 'Ready');
      await shows('Nodes', name, /0 of \d+/);
    }
  });

  it('follow a rollout, a scaling and the end of a pod', async () => {
    kubectl('create', 'deployment', 'web', '-n', 'shop', '--image=nginx', '--replicas=2');
    await shows('Rollouts', 'shop/web', '2/2');
    await shows('Rollouts', 'shop/web', 'complete');
    await shows('Rollouts', 'shop/web', '1: 2/2');
    await shows('Events', 'Deployment shop/web', 'ScalingReplicaSet');
    await shows('Nodes', 'node-1', '1 ready');
    kubectl('scale', 'deployment', 'web', '-n', 'shop', '--replicas=3');
    await shows('Rollouts', 'shop/web', '3/3');

    const [pod = ''] = kubectl('get', 'pods', '-n', 'shop', '-o', 'jsonpath={.items[*].metadata.name}').split(' ');
    await shows('Pods', pod, 'Running');
    kubectl('delete', 'pod', pod, '-n', 'shop');
    await rowOf('Pods', pod).waitFor({ state: 'detached' });
    await shows('Events', `Pod shop/${pod}`, 'Killing');
    await shows('Rollouts', 'shop/web', '3/3');
    kubectl('set', 'image', 'deployment/web', '-n', 'shop', 'nginx=nginx:2');
    await shows('Rollouts', 'shop/web', '2: 3/3');
    await shows('Rollouts', 'shop/web', '1 without pods');
  });

  it('show StatefulSets, DaemonSets and Jobs, and a rollout that fails', async () => {
    kubectl('create', 'job', 'backup', '-n', 'shop', '--image=worker');
    await shows('Rollouts', 'shop/backup', '1/1');
    await shows('Rollouts', 'shop/backup', 'Complete');
    await shows('Pods', 'shop/backup', 'Completed');
    const template = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'main', image: 'x' }] } };
    const selector = { matchLabels: { app: 'x' } };
    for (const [kind, spec] of [
      ['StatefulSet', { serviceName: 'db', replicas: 2 }],
      ['DaemonSet', {}],
    ] as const) {
      const metadata = { name: `a-${kind.toLowerCase()}`, namespace: 'shop' };
      const object = { apiVersion: 'apps/v1', kind, metadata, spec: { ...spec, selector, template } };
      execFileSync('kubectl', ['--kubeconfig', join(root, 'admin.kubeconfig'), 'apply', '-f', '-'], {
        input: JSON.stringify(object),
      });
      await shows('Rollouts', metadata.name, '2/2');
    }
    kubectl('patch', 'deployment', 'web', '-n', 'shop', '-p', neverReady);
    await shows('Rollouts', 'shop/web', 'ProgressDeadlineExceeded');
    await shows('Rollouts', 'shop/web', 'Progressing: False');
    await shows('Rollouts', 'shop/web', '3: 0/1, 2: 3/3');
    await shows('Nodes', 'node-', '1 not ready');
    await browser.page.setViewportSize({ width: 1280, height: 1280 });
    await browser.picture('workloads');
    await browser.page.emulateMedia({ colorScheme: 'dark' });
    await browser.picture('workloads-dark');
    await browser.page.emulateMedia({ colorScheme: 'light' });
    await browser.page.setViewportSize({ width: 1280, height: 800 });
  });

  it('choose the pods of a node or a workload by the keyboard, and find them by status', async () => {
    const pods = browser.page.locator('section[aria-label="Pods"]');
    await browser.page.locator('a[aria-label^="Pods of Deployment web"]').focus();
    await browser.page.keyboard.press('Enter');
    await pods.locator('.quiet', { hasText: '4 of deployments/shop/web' }).waitFor();
    await rowOf('Pods', 'shop/backup').waitFor({ state: 'detached' });
    await pods.locator('text=show all').focus();
    await browser.page.keyboard.press('Enter');
    await shows('Pods', 'shop/backup', 'Completed');
    await browser.page.fill('input[aria-label="Filter by name or status"]', 'completed');
    await pods.locator('.quiet', { hasText: /^1$/ }).waitFor();
    await browser.page.fill('input[aria-label="Filter by name or status"]', '');
    await browser.page.locator('a[aria-label^="Pods of node-1"]').focus();
    await browser.page.keyboard.press('Enter');
    await pods.locator('.quiet', { hasText: 'of node-1' }).waitFor();
    // A table that is wider than its place scrolls with the arrow keys when it has the focus.
    await browser.page.setViewportSize({ width: 420, height: 800 });
    const table = '[role="group"][aria-label="Pods"]';
    await browser.page.focus(table);
    await browser.page.keyboard.press('ArrowRight');
    await waitFor(
      async () => (await browser.page.evaluate<number>(`document.querySelector('${table}').scrollLeft`)) > 0,
      30_000,
      () => 'the table does not scroll',
    );
    await browser.page.setViewportSize({ width: 1280, height: 800 });
  });

  it('are one connection, which goes on after it was lost', async () => {
    const watching = () => browser.page.waitForRequest((request) => request.url().includes('/console/watches'));
    const again = watching();
    await browser.page.context().setOffline(true);
    await browser.goTo('#/workloads?namespace=shop');
    await browser.shows('.note', 'connecting again');
    await browser.page.context().setOffline(false);
    const url = new URL((await again).url());
    assert.equal(url.searchParams.getAll('path').length, 8);
    await browser.shows('.note', 'live');
    kubectl('delete', 'job', 'backup', '-n', 'shop');
    await rowOf('Rollouts', 'backup').waitFor({ state: 'detached' });
  });

  it('show a user of one namespace what he may see, and say what he may not', async () => {
    kubectl('create', 'serviceaccount', 'dev', '-n', 'shop');
    kubectl('create', 'rolebinding', 'dev', '-n', 'shop', '--clusterrole=view', '--serviceaccount=shop:dev');
    const token = kubectl('create', 'token', 'dev', '-n', 'shop').trim();
    const other = await BrowserPage.open('dark');
    try {
      other.page.setDefaultTimeout(30_000);
      await other.page.goto(new URL(browser.page.url()).origin);
      await other.page.fill('input[name="token"]', token);
      await other.page.click('form button');
      await other.shows('.user', 'system:serviceaccount:shop:dev');
      await other.goTo('#/workloads');
      await other.shows('.note-box', /may not list it: Node, and Pod, .* in all namespaces/);
      await other.page.click('text=Show the namespace shop');
      await shows('Rollouts', 'web', 'ProgressDeadlineExceeded', other.page);
      await other.shows('.note-box', /may not list it: Node\./);
      await shows('Nodes', 'node-1', 'ready', other.page);
      await shows('Events', 'Deployment web', 'ScalingReplicaSet', other.page);
      assert.equal(await other.page.locator('.problem').count(), 0);
      await other.page.setViewportSize({ width: 420, height: 800 });
      await other.assertNothingCut();
      await other.picture('workloads-narrow-dark');
      kubectl('delete', 'rolebinding', 'dev', '-n', 'shop');
      await other.goTo('#/requests');
      await other.goTo('#/workloads?namespace=shop');
      await other.shows('.note-box', /may not list it: Node, and Pod, .* in shop/);
      assert.deepEqual(other.errors, []);
    } finally {
      await other.close();
    }
  });

  it('are scaled, restarted, rolled back, suspended and cordoned, each after a question', async () => {
    const act = async (place: string, action: string, confirm: string) => {
      await browser.goTo(place);
      await browser.page.click('summary:has-text("Actions")');
      await browser.page.locator('.menu-body').getByRole('button', { name: action, exact: true }).click();
      await browser.page.locator('dialog').getByRole('button', { name: confirm, exact: true }).click();
      await browser.page.locator('dialog').waitFor({ state: 'detached' });
    };
    const valueOf = (object: string, path: string) => kubectl('get', object, '-n', 'shop', '-o', `jsonpath={${path}}`);
    const web = '#/object/apps/deployments/shop/web/yaml';
    await browser.goTo(web);
    await browser.page.click('summary:has-text("Actions")');
    await browser.page.click('.menu-body >> text=Scale');
    await browser.page.fill('dialog input[name="replicas"]', '4');
    await browser.page.locator('dialog').getByRole('button', { name: 'Scale', exact: true }).click();
    await browser.shows('.done', 'Scaled from 3 to 4.');
    await browser.edits('replicas: 4');
    assert.equal(valueOf('deployment/web', '.spec.replicas'), '4');
    await act(web, 'Roll back', 'Roll back to revision 1');
    await browser.shows('.done', 'Rolled back to revision 1.');
    await browser.edits('image: nginx\n');
    assert.equal(valueOf('deployment/web', '.spec.template.spec.containers[0].image'), 'nginx');
    await act('#/object/apps/daemonsets/shop/a-daemonset/yaml', 'Restart', 'Restart');
    await browser.edits('kubectl.kubernetes.io/restartedAt');
    await act('#/object/core/nodes/-/node-2/yaml', 'Cordon', 'Cordon');
    await browser.edits('unschedulable: true');
    await act('#/object/core/nodes/-/node-2/yaml', 'Uncordon', 'Uncordon');
    await browser.shows('.done', 'Uncordon: done.');
    kubectl('create', 'cronjob', 'nightly', '-n', 'shop', '--image=worker', '--schedule=0 3 * * *');
    kubectl('create', 'cronjob', 'weekly', '-n', 'shop', '--image=worker', '--schedule=0 3 * * 0');
    await act('#/object/batch/cronjobs/shop/nightly/yaml', 'Run now', 'Run now');
    await browser.shows('.done', 'A Job was created.');
    assert.match(kubectl('get', 'jobs', '-n', 'shop'), /nightly-manual-/);
    await browser.goTo('#/objects/batch/cronjobs?namespace=shop');
    await browser.page.check('input[aria-label="Select all"]');
    await browser.page.locator('[aria-label="Selected objects"]').getByRole('button', { name: 'Suspend' }).click();
    await browser.shows('dialog', 'Suspend 2 cronjobs?');
    await browser.page.locator('dialog').getByRole('button', { name: 'Suspend' }).click();
    for (const name of ['nightly', 'weekly']) await browser.shows(`tr:has-text("${name}")`, 'true');
    assert.equal(valueOf('cronjob/weekly', '.spec.suspend'), 'true');
  });

  it('go back to a revision before: StatefulSets and DaemonSets too', async () => {
    for (const [resource, kind] of [
      ['statefulsets', 'StatefulSet'],
      ['daemonsets', 'DaemonSet'],
    ] as const) {
      const name = `a-${kind.toLowerCase()}`;
      const imageOf = () =>
        kubectl('get', resource, name, '-n', 'shop', '-o', 'jsonpath={.spec.template.spec.containers[0].image}');
      kubectl('set', 'image', `${resource}/${name}`, '-n', 'shop', 'main=x:2');
      kubectl('rollout', 'status', `${resource}/${name}`, '-n', 'shop');
      await browser.goTo(`#/object/apps/${resource}/shop/${name}/yaml`);
      await browser.edits('image: x:2');
      await browser.page.click('summary:has-text("Actions")');
      await browser.page.locator('.menu-body').getByRole('button', { name: 'Roll back', exact: true }).click();
      await browser.page.locator('dialog li').last().locator('button').click();
      await browser.shows('.done', /Rolled back to revision \d+\./);
      await browser.edits('image: x\n');
      assert.equal(imageOf(), 'x');
      kubectl('rollout', 'status', `${resource}/${name}`, '-n', 'shop');
    }
  });

  it('have the logs of all their pods together, also of those that are added', async () => {
    const podsAre = (count: number) => browser.shows('[aria-label="Log"] .quiet', new RegExp(`^${count} pods$`));
    const linesAre = (text: string) => browser.shows('[aria-label="Log"] [role="status"]', text);
    kubectl('create', 'deployment', 'logged', '-n', 'shop', '--image=chatty', '--replicas=2');
    await browser.goTo('#/object/apps/deployments/shop/logged/logs');
    await podsAre(2);
    await linesAre('2 lines, followed');
    await browser.shows('.log', /logged-\S+ {2}simulated container chatty/);
    kubectl('scale', 'deployment', 'logged', '-n', 'shop', '--replicas=3');
    await podsAre(3);
    await linesAre('3 lines, followed');
    await browser.assertAccessible();
    await browser.picture('logs-of-workload');
    const [pod = ''] = kubectl('get', 'pods', '-n', 'shop', '-l', 'app=logged', '-o', 'name').split('\n');
    await browser.page.fill('input[aria-label="Filter lines"]', pod.replace('pod/', ''));
    await linesAre('1 lines');
    kubectl('delete', 'deployment', 'logged', '-n', 'shop');
  });

  it('leave a node that is drained, as far as budgets allow it', async () => {
    const pods = () =>
      kubectl('get', 'pods', '-n', 'shop', '-l', 'app=drained', '-o', 'jsonpath={.items[*].spec.nodeName}').split(' ');
    kubectl('cordon', 'node-2');
    kubectl('create', 'deployment', 'drained', '-n', 'shop', '--image=x', '--replicas=2');
    kubectl('rollout', 'status', 'deployment/drained', '-n', 'shop');
    assert.deepEqual(pods(), ['node-1', 'node-1']);
    kubectl('create', 'poddisruptionbudget', 'drained', '-n', 'shop', '--selector=app=drained', '--min-available=2');
    kubectl('wait', '--for=jsonpath={.status.currentHealthy}=2', 'pdb/drained', '-n', 'shop');
    kubectl('uncordon', 'node-2');
    await browser.goTo('#/object/core/nodes/-/node-1/yaml');
    await browser.edits('kind: Node');
    await browser.page.click('summary:has-text("Actions")');
    await browser.page.locator('.menu-body').getByRole('button', { name: 'Drain', exact: true }).click();
    await browser.shows('dialog', 'pods are evicted, as far as disruption budgets allow it');
    await browser.page.locator('dialog').getByRole('button', { name: 'Drain', exact: true }).click();
    await browser.shows('dialog tr', /shop\/drained-.*waits.*disruption budget/);
    await browser.shows('dialog tr', /shop\/a-daemonset-.*left.*it is of a DaemonSet/);
    await browser.assertAccessible();
    await browser.picture('drain');
    kubectl('delete', 'poddisruptionbudget', 'drained', '-n', 'shop');
    await browser.shows('dialog [role="status"]', 'Done: the node is drained and cordoned.');
    await browser.page.locator('dialog').getByRole('button', { name: 'Close' }).click();
    await browser.page.locator('dialog').waitFor({ state: 'detached' });
    await browser.edits('unschedulable: true');
    kubectl('rollout', 'status', 'deployment/drained', '-n', 'shop');
    assert.deepEqual([...new Set(pods())], ['node-2']);
    kubectl('uncordon', 'node-1');
  });

  it('have logs, which are followed, and run commands', async () => {
    const pod = kubectl('get', 'pods', '-n', 'shop', '-l', 'app=x', '-o', 'jsonpath={.items[0].metadata.name}');
    await browser.goTo(`#/object/core/pods/shop/${pod}/logs`);
    await browser.shows('[aria-label="Log"] [role="status"]', /^[1-9]\d* lines/);
    await browser.assertAccessible();
    await browser.picture('log');
    // Commands run over a WebSocket of the session.
    await browser.page.click('.tabs >> text=Terminal');
    await browser.page.fill('input[name="command"]', 'echo hello from the pod');
    await browser.page.keyboard.press('Enter');
    await browser.shows('.exec-out', 'hello from the pod');
    await browser.page.locator('button:has-text("Run"):enabled').waitFor();
    await browser.page.fill('input[name="command"]', 'exit 3');
    await browser.page.keyboard.press('Enter');
    await browser.shows('.exec-end', 'command terminated with non-zero exit code');
    await browser.assertAccessible();
  });
});
