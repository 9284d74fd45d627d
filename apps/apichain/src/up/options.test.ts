import assert from 'node:assert/strict';
import { StartupError } from '@apichain/chain/setup';
import { checkServiceFlags } from './check-flags.ts';
import { flagsForFirst, flagsForServices, parseUpOptions } from './options.ts';
import { withMeantFlag } from './command.ts';

describe('parseUpOptions', () => {
  it('takes switches without a value', () => {
    const { inProcess, memory, serviceFlags } = parseUpOptions(['--in-process', '--memory', '--v', '4']);
    assert.deepEqual({ inProcess, memory, serviceFlags }, { inProcess: true, memory: true, serviceFlags: ['--v=4'] });
    assert.equal(parseUpOptions(['--in-process=false']).inProcess, false);
  });

  it('lets containers be privileged unless told otherwise', () => {
    const privileged = (...args: string[]) =>
      flagsForServices(parseUpOptions(args)).findLast((flag) => flag.startsWith('--allow-privileged'));
    assert.equal(privileged(), '--allow-privileged=true');
    assert.equal(privileged('--allow-privileged=false'), '--allow-privileged=false');
  });

  it('has Roles decide what users may do unless told otherwise', () => {
    const authorization = (...args: string[]) =>
      flagsForServices(parseUpOptions(args)).filter((flag) => flag.startsWith('--authorization'));
    assert.deepEqual(authorization(), ['--authorization-mode=Node,RBAC']);
    assert.deepEqual(authorization('--authorization-mode', 'AlwaysAllow'), ['--authorization-mode=AlwaysAllow']);
    assert.deepEqual(authorization('--authorization-config=a.yaml'), ['--authorization-config=a.yaml']);
    assert.deepEqual(authorization('--authorization_mode=RBAC'), ['--authorization_mode=RBAC']);
  });

  it('restricts nodes as kubeadm does unless told otherwise', () => {
    const admission = (...args: string[]) =>
      flagsForServices(parseUpOptions(args)).filter((flag) => /^--(enable|disable)?[-_]?admission/.test(flag));
    const on = '--enable-admission-plugins=NodeRestriction';
    assert.deepEqual(admission(), [on]);
    assert.deepEqual(admission('--enable-admission-plugins', 'AlwaysPullImages'), [
      on,
      '--enable-admission-plugins=AlwaysPullImages',
    ]);
    assert.deepEqual(admission('--disable-admission-plugins=Priority,NodeRestriction'), [
      '--disable-admission-plugins=Priority,NodeRestriction',
    ]);
    assert.deepEqual(admission('--admission-control=LimitRanger'), ['--admission-control=LimitRanger']);
    assert.deepEqual(admission('--admission-control-config-file=a.yaml'), [
      on,
      '--admission-control-config-file=a.yaml',
    ]);
    assert.deepEqual(admission('--apis=minimal'), []);
    assert.deepEqual(admission('--simulate'), [`${on},ServiceAccount`]);
    assert.deepEqual(admission('--simulate', '--controllers=-*'), [on]);
    assert.deepEqual(admission('--simulate', '--disable-admission-plugins=ServiceAccount'), [
      '--enable-admission-plugins=NodeRestriction',
      '--disable-admission-plugins=ServiceAccount',
    ]);
  });

  it('takes manifests as kubectl does', () => {
    const manifests = (...args: string[]) => parseUpOptions(args).manifests;
    const [file, folder] = [import.meta.filename, import.meta.dirname];
    assert.equal(manifests('--in-process'), undefined);
    assert.deepEqual(manifests('-f', file), { paths: [file], recursive: false, watch: false });
    assert.deepEqual(manifests('-f', folder, '-R', `--filename=${file}`, '--watch'), {
      paths: [folder, file],
      recursive: true,
      watch: true,
    });
    const refused = (message: RegExp, ...args: string[]) =>
      assert.throws(() => manifests(...args), { name: 'StartupError', message });
    refused(/^--watch needs -f: /, '--watch');
    refused(/^--recursive needs -f: /, '-R');
    refused(/^-f: there is no file or folder no\/such$/, '-f', file, '-f', 'no/such');
    refused(/^-f: there is no file or folder ""$/, '-f', '--watch');
    refused(/^-f: manifests are not read from standard input/, '-f', '-');
    refused(/^--watch: "often" is not true or false$/, '-f', file, '--watch=often');
  });

  it('refuses values that the services would refuse, before anything is made', () => {
    const refused = (flag: string, message: RegExp) =>
      assert.throws(() => checkServiceFlags(parseUpOptions([flag])), { name: 'StartupError', message });
    refused('--authorization-mode=Foo', /^authorization-mode "Foo" is not a valid mode$/);
    refused('--feature-gates=Foo=true', /unrecognized feature gate: Foo$/);
    refused('--feature-gates=AllAlpha=perhaps', /invalid syntax/);
    refused('--service-cluster-ip-range=1', /^service-cluster-ip-range\[0\] is not a valid cidr$/);
    refused('--service-node-port-range=9-1', /end port cannot be less than start port/);
    refused('--runtime-config=zzz', /^runtime-config invalid key zzz$/);
    refused('--runtime-config=zzz/v1=true', /^unknown api groups zzz\/v1$/);
    refused('--enable-admission-plugins=Nope', /plugin "Nope" is unknown/);
    refused('--storage-media-type=x', /invalid, allowed values/);
    refused('--nosuch', /unknown flag: --nosuch/);
    refused('--etcd-servers=foo', /^--etcd-servers: "foo" is no address of an etcd/);
    refused('--etcd-servers=http://a:1,ftp://b:2', /"ftp:\/\/b:2" is no address/);
    for (const etcd of [
      'http://127.0.0.1:2379',
      'https://a:1,https://b',
      'unix:///tmp/etcd.sock',
      'a:2379',
      '[::1]:2379',
    ])
      checkServiceFlags(parseUpOptions([`--etcd-servers=${etcd}`]));
    for (const flags of [[], ['--apis=minimal'], ['--simulate'], ['--runtime-config=api/all=true', '--show-requests']])
      checkServiceFlags(parseUpOptions(flags));
  });

  it('has one worker for each service unless told otherwise', () => {
    const workers = (...args: string[]) => {
      const options = parseUpOptions(args);
      return [options.workers, flagsForServices(options).filter((flag) => flag.startsWith('--workers'))];
    };
    assert.deepEqual(workers(), [1, []]);
    assert.deepEqual(workers('--workers', '1'), [1, []]);
    assert.deepEqual(workers('--workers=3'), [3, ['--workers=3']]);
    const { workers: count, isWorkersAutomatic } = parseUpOptions(['--workers=auto']);
    assert.ok(count >= 1 && isWorkersAutomatic);
    for (const text of ['0', '-1', '257', 'many', ''])
      assert.throws(
        () => parseUpOptions([`--workers=${text}`]),
        /^StartupError: --workers: ".*" is not a number from 1/,
      );
    assert.throws(() => parseUpOptions(['--in-process', '--memory', '--workers=2']), /exclude each other/);
  });

  it('has a console only on demand, served by the first service alone', () => {
    assert.deepEqual(flagsForFirst(parseUpOptions([])), []);
    assert.deepEqual(flagsForFirst(parseUpOptions(['--console=false'])), []);
    assert.deepEqual(flagsForFirst(parseUpOptions(['--console'])), ['--console-port=6480']);
    const chosen = parseUpOptions(['--console-port', '7000']);
    assert.deepEqual(flagsForFirst(chosen), ['--console-port=7000']);
    assert.equal(chosen.isConsolePortGiven, true);
    assert.ok(!flagsForServices(chosen).some((flag) => flag.includes('console')));
    for (const port of ['0', '65536', 'x', ''])
      assert.throws(() => parseUpOptions([`--console-port=${port}`]), /--console-port: ".*" is not a port/);
  });

  it('refuses what does not go together', () => {
    assert.throws(() => parseUpOptions(['--memory']), /--memory needs --in-process/);
    assert.throws(() => parseUpOptions(['--in-process=maybe']), /--in-process: "maybe" is not true or false/);
    assert.throws(
      () => parseUpOptions(['--in-process', '--memory', '--etcd-servers=http://127.0.0.1:1']),
      /--memory and --etcd-servers exclude each other/,
    );
  });

  it("runs every controller unless told otherwise in kube-controller-manager's syntax", () => {
    const controllers = (...args: string[]) => parseUpOptions(args).controllers;
    assert.ok(controllers().includes('garbage-collector-controller'));
    assert.deepEqual(controllers('--controllers=-*'), []);
    assert.deepEqual(controllers('--controllers', 'namespace'), ['namespace-controller']);
    assert.throws(
      () => controllers('--controllers=nope'),
      /--controllers: "nope" is not in the list of known controllers/,
    );
  });

  it('gives the controllers the flags of kube-controller-manager, and checks them', () => {
    const { controllerFlags, serviceFlags } = parseUpOptions(['--concurrent_rc_syncs=9', '--node-eviction-rate', '1']);
    assert.deepEqual(controllerFlags, { 'concurrent-rc-syncs': '9', 'node-eviction-rate': '1' });
    assert.deepEqual(serviceFlags, []);
    assert.throws(
      () => parseUpOptions(['--concurrent-job-syncs=0']),
      /^StartupError: --concurrent-job-syncs: "0" is not/,
    );
    const refused = withMeantFlag(new StartupError('kube-core: unknown flag: --namespace-sync-period (see --help)'));
    assert.match(String(refused), /--namespace-sync-period is not supported: controllers react to changes/);
  });

  it('names the flag that was meant by one that nobody knows', () => {
    const told = (message: string) => {
      const error = withMeantFlag(new StartupError(message));
      return error instanceof StartupError ? error.message : '';
    };
    const see = '(see apichain up --help)';
    const meant = `unknown flag: --detatch; did you mean --detach? ${see}`;
    assert.equal(told('apiextensions: unknown flag: --detatch (see --help)'), meant);
    assert.equal(told(`unknown flag: --detatch ${see}`), meant);
    const known = 'unknown flag: --tls-cert; did you mean --tls-cert-file?';
    assert.equal(told(`aggregator: ${known} (see --help)`), `${known} ${see}`);
    assert.equal(told('unknown flag: --xyz'), `unknown flag: --xyz ${see}`);
    assert.equal(told('aggregator: etcd is away'), 'aggregator: etcd is away');
    const other = new Error('unknown flag: --detatch');
    assert.equal(withMeantFlag(other), other);
  });
});

describe('--simulate', () => {
  const parsed = (...args: string[]) => parseUpOptions(args).simulation;

  it('is off by default, and has three nodes without a number', () => {
    assert.equal(parsed(), undefined);
    assert.equal(parsed('--simulate=false'), undefined);
    assert.deepEqual(parsed('--simulate'), { nodes: 3, stages: [], scheduler: true });
    assert.deepEqual(parsed('--simulate=100', '--scheduler=false'), { nodes: 100, stages: [], scheduler: false });
    const file = import.meta.filename;
    assert.deepEqual(parsed('--simulate', `--stages=${file}`, '--stages', file)?.stages, [file, file]);
  });

  it('has the controllers of workloads, unless they are excluded or the list names others', () => {
    const controllers = (...args: string[]) => parseUpOptions(args).controllers;
    assert.ok(!controllers().includes('deployment-controller'));
    assert.ok(controllers('--simulate').includes('deployment-controller'));
    const without = controllers('--simulate', '--controllers=*,-deployment');
    assert.ok(!without.includes('deployment-controller') && without.includes('replicaset-controller'));
    assert.deepEqual(controllers('--simulate', '--controllers=-*'), []);
    assert.deepEqual(controllers('--simulate', '--controllers=namespace'), ['namespace-controller']);
  });

  it('says in one line what is wrong', () => {
    for (const wrong of ['many', '-1', '1.5', '10001', ''])
      assert.throws(() => parsed(`--simulate=${wrong}`), /--simulate: ".*" is not a number of nodes \(0-10000\)/);
    assert.throws(() => parsed('--stages=a.yaml'), /--stages needs --simulate/);
    assert.throws(() => parsed('--scheduler=false'), /--scheduler needs --simulate/);
    assert.throws(() => parsed('--simulate', '--stages=nowhere.yaml'), /--stages: there is no file nowhere.yaml/);
    assert.throws(() => parsed('--simulate', '--apis=minimal'), /--simulate needs pods and nodes/);
  });
});
