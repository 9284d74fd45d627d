import type { Platform } from './platform.ts';
import type { Recording } from '../comparison/recording.ts';
import { bearer, get } from '../servers/get.ts';
import type { ExtensionServer } from './extension-servers.ts';

const group = 'wardle.example.com';

export const flunder = (name: string, reference?: string, version = 'v1alpha1') => ({
  apiVersion: `${group}/${version}`,
  kind: 'Flunder',
  metadata: { name, namespace: 'default', labels: { sample: 'true' } },
  spec: reference === undefined ? {} : { reference },
});

const fischer = (name: string, disallowed: readonly string[]) => ({
  apiVersion: `${group}/v1alpha1`,
  kind: 'Fischer',
  metadata: { name },
  disallowedFlunders: disallowed,
});

/** Uses the Go sample-apiserver with kubectl as its documentation and a developer would. */
export async function useWardle(platform: Platform, record: Recording, server: ExtensionServer): Promise<void> {
  const run = async (step: string, args: readonly string[], input?: unknown) =>
    record.text(`wardle: ${step}`, await platform.kubectl(args, input));
  await run('api-resources', ['api-resources', `--api-group=${group}`]);
  await run('api-versions', ['api-versions']);
  await run('create', ['create', '-f', '-'], flunder('a', 'first'));
  await run('create again', ['create', '-f', '-'], flunder('a'));
  await run('get', ['get', 'flunders']);
  await run('get yaml', ['get', 'flunders', 'a', '-o', 'yaml', '--show-managed-fields']);
  await run('get of the other version', ['get', 'flunders.v1alpha1.wardle.example.com', 'a', '-o', 'yaml']);
  await run('describe', ['describe', 'flunder', 'a']);
  await run('apply', ['apply', '-f', '-'], flunder('b', 'first'));
  await run('apply unchanged', ['apply', '-f', '-'], flunder('b', 'first'));
  await run('apply changed', ['apply', '-f', '-'], flunder('b', 'second'));
  await run('diff', ['diff', '-f', '-'], flunder('b', 'second'));
  await run('apply server-side', ['apply', '--server-side', '-f', '-'], flunder('c', 'first'));
  const other = ['apply', '--server-side', '--field-manager=other', '-f', '-'];
  await run('apply server-side, conflict', other, flunder('c', 'second'));
  await run(
    'apply server-side, forced',
    [...other.slice(0, 2), '--force-conflicts', ...other.slice(2)],
    flunder('c', 'third'),
  );
  await run('apply server-side, unknown field', other, { ...flunder('d'), spec: { nothing: 1 } });
  await run('create, unknown field', ['create', '-f', '-'], { ...flunder('d'), spec: { nothing: 1 } });
  await run('patch merge', ['patch', 'flunder', 'a', '--type=merge', '-p', '{"metadata":{"annotations":{"x":"1"}}}']);
  await run('patch json', [
    'patch',
    'flunder',
    'a',
    '--type=json',
    '-p',
    '[{"op":"remove","path":"/metadata/annotations/x"}]',
  ]);
  await run('patch strategic', ['patch', 'flunder', 'a', '-p', '{"metadata":{"labels":{"y":"1"}}}']);
  await run('patch not found', ['patch', 'flunder', 'nothing', '-p', '{"metadata":{}}']);
  await run('label', ['label', 'flunder', 'a', 'z=1']);
  await run('get by label', ['get', 'flunders', '-l', 'z=1', '-o', 'name']);
  await run('get by field', ['get', 'flunders', '--field-selector=metadata.name=b', '-o', 'name']);
  await run('get by unknown field', ['get', 'flunders', '--field-selector=spec.x=b', '-o', 'name']);
  await run('get in pages', ['get', 'flunders', '--chunk-size=1', '-o', 'name']);
  await run('explain', ['explain', 'flunders']);
  await run('explain recursively', ['explain', 'flunders', '--recursive']);
  await run('explain a field', ['explain', 'flunders.spec']);
  await run('explain the other version', ['explain', 'flunders.spec', `--api-version=${group}/v1alpha1`]);
  await run('scale', ['scale', 'flunder', 'a', '--replicas=2']);
  await run('invalid', ['create', '-f', '-'], {
    ...flunder('e', 'x', 'v1beta1'),
    spec: { flunderReference: 'a', fischerReference: 'b' },
  });
  await run('cluster-scoped', ['create', '-f', '-'], fischer('warden', ['banned']));
  record.text('wardle: admission of the extension server', await untilForbidden(platform));
  await run('get both kinds', ['get', 'flunders,fischers', '-o', 'name']);
  record.text(
    'wardle: watch',
    await platform.watched(['get', 'flunders', '-w', '--output-watch-events'], async () => {
      await platform.kubectl(['create', '-f', '-'], flunder('seen'));
      await platform.kubectl(['annotate', 'flunder', 'seen', 'x=1']);
      await platform.kubectl(['delete', 'flunder', 'seen']);
    }),
  );
  await run('delete', ['delete', 'flunder', 'a']);
  await run('delete again', ['delete', 'flunder', 'a']);
  await run('delete all', ['delete', 'flunders', '--all']);
  await run('not found', ['get', 'flunders', 'a']);
  await rights(run, platform, record, server);
}

/** The extension server learns of a fischer through its own informer. */
async function untilForbidden(platform: Platform): Promise<string> {
  for (let attempt = 0; ; attempt += 1) {
    const text = await platform.kubectl(['create', '--dry-run=server', '-f', '-'], flunder('banned'));
    if (text.startsWith('exit') || attempt === 20) return text;
  }
}

/** Rights at the aggregator, and those that the extension server asks for when it is reached directly. */
async function rights(
  run: (step: string, args: readonly string[], input?: unknown) => Promise<void>,
  platform: Platform,
  record: Recording,
  server: ExtensionServer,
): Promise<void> {
  await run('denied', ['get', 'flunders', '--as=jane']);
  await run('can-i denied', ['auth', 'can-i', 'create', 'flunders', '--as=jane']);
  await run('role', ['create', 'role', 'reader', '--verb=get,list,watch', '--resource=flunders.wardle.example.com']);
  await run('role binding', [
    'create',
    'rolebinding',
    'reader',
    '--role=reader',
    '--user=jane',
    '--serviceaccount=default:joe',
  ]);
  await run('can-i allowed', ['auth', 'can-i', 'list', 'flunders', '--as=jane']);
  await run('allowed', ['get', 'flunders', '--as=jane']);
  await run('denied verb', ['create', '-f', '-', '--as=jane'], flunder('x'));
  await run('denied scope', ['get', 'fischers', '--as=jane', '--as-group=readers']);
  await run('service account', ['create', 'serviceaccount', 'joe']);
  const token = (await platform.kubectl(['create', 'token', 'joe'])).trim();
  /** A request to the extension server itself, past the aggregator. */
  const direct = async (step: string, path: string, credentials?: string) => {
    const headers = credentials === undefined ? {} : bearer(credentials);
    const { status, text } = await get(`https://127.0.0.1:${server.port}${path}`, { headers });
    record.text(`wardle: directly, ${step}`, `${status} ${text}`);
  };
  await direct('allowed', `/apis/${group}/v1alpha1/namespaces/default/flunders`, token);
  await direct('denied', `/apis/${group}/v1alpha1/fischers`, token);
  await direct('unknown token', `/apis/${group}/v1alpha1/fischers`, 'nobody');
  await direct('anonymous', `/apis/${group}/v1alpha1/fischers`);
}
