import assert from 'node:assert/strict';
import { podTemplateWarnings } from './pod-template-warnings.ts';

const container = (more: object) => ({ name: 'c', image: 'i', ...more });
const ofPod = (spec: object, annotations = {}) => podTemplateWarnings({ metadata: { annotations }, spec }, '');

describe('podTemplateWarnings', () => {
  it('returns nothing for a plain pod', () => {
    assert.deepEqual(ofPod({ containers: [container({ ports: [{ containerPort: 80, protocol: 'TCP' }] })] }), []);
  });

  it('reports duplicate ports, in the order of init containers and containers', () => {
    const port = { containerPort: 80, protocol: 'TCP' };
    const spec = {
      initContainers: [container({ ports: [{ ...port, name: 'web' }] })],
      containers: [
        container({
          ports: [
            { ...port, hostIP: '1.1.1.1' },
            { ...port, hostPort: 80, name: 'web' },
            { ...port, hostPort: 80, hostIP: '1.1.1.1' },
          ],
        }),
      ],
    };
    const at = (i: number) => `spec.containers[0].ports[${i}]`;
    const init = 'spec.initContainers[0].ports[0]';
    assert.deepEqual(ofPod(spec), [
      `${at(0)}: hostIP set without hostPort: {Name: HostPort:0 ContainerPort:80 Protocol:TCP HostIP:1.1.1.1}`,
      `${at(0)}: overlapping port definition with ${init}`,
      `${at(1)}: overlapping port definition with ${init}`,
      `${at(1)}: overlapping port definition with ${at(0)}`,
      `${at(2)}: overlapping port definition with ${init}`,
      `${at(2)}: overlapping port definition with ${at(0)}`,
      `${at(2)}: dangerously ambiguous port definition with ${at(1)}`,
      `${at(1)}: duplicate port name "web" with ${init}, services and probes that select ports by name will use ${init}`,
    ]);
  });

  it('reports overlapping paths of projected volumes', () => {
    const items = (...paths: string[]) => ({ items: paths.map((path) => ({ key: 'k', path })) });
    const spec = {
      volumes: [
        { name: 'a', configMap: { name: 'm', ...items('x', 'x/y') } },
        {
          name: 'b',
          projected: {
            sources: [
              {},
              { secret: { name: 's', ...items('t/') } },
              { configMap: { name: 'm' } },
              { serviceAccountToken: { path: 't' } },
            ],
          },
        },
      ],
    };
    assert.deepEqual(ofPod(spec), [
      'volume "a" (ConfigMap "m"): overlapping paths: "x/y" with "x"',
      'volume "b" (Projected) has no sources provided',
      'volume "b" (Projected): overlapping paths: "t" (ServiceAccountToken) with "t" (Secret "s")',
    ]);
  });

  it('reports variables that hide earlier ones', () => {
    const variables = ['1', '$(v)', '$(v)2', '3'].map((value) => ({ name: 'v', value }));
    const hides = (i: number) =>
      `spec.containers[0].env[${i}]: hides previous definition of "v", which may be dropped when using apply`;
    assert.deepEqual(ofPod({ containers: [container({ env: variables })] }), [hides(1), hides(3)]);
  });

  it('reports AppArmor annotations of templates without the equivalent field', () => {
    const annotations = { 'container.apparmor.security.beta.kubernetes.io/c': 'unconfined' };
    const template = { metadata: { annotations }, spec: { containers: [container({})] } };
    assert.deepEqual(podTemplateWarnings(template, ''), []);
    assert.deepEqual(podTemplateWarnings(template, 'spec.template'), [
      'spec.template.metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since v1.30; use the "appArmorProfile" field instead',
    ]);
    const profiled = { ...template.spec, securityContext: { appArmorProfile: { type: 'Unconfined' } } };
    assert.deepEqual(podTemplateWarnings({ metadata: { annotations }, spec: profiled }, 'spec.template'), []);
  });
});
