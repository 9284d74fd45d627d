import { strict as assert } from 'node:assert';
import { lines, object } from './common/errors.fixture.ts';
import { validateService, validateServiceUpdate } from './service.ts';

const spec = {
  type: 'ClusterIP',
  ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
  clusterIP: '10.0.0.5',
  clusterIPs: ['10.0.0.5'],
  ipFamilies: ['IPv4'],
  ipFamilyPolicy: 'SingleStack',
  sessionAffinity: 'None',
  internalTrafficPolicy: 'Cluster',
};
const service = (rest: object) => object('Service', 's', { spec: { ...spec, ...rest } });
const created = (rest: object) => lines(validateService(service(rest)));
const balancer = {
  type: 'LoadBalancer',
  allocateLoadBalancerNodePorts: true,
  externalTrafficPolicy: 'Cluster',
  loadBalancerClass: 'example.com/a',
};

describe('validateService', () => {
  it('takes an empty choice of a pointer for a wrong one, and none for missing', () => {
    assert.deepEqual(created({}), []);
    assert.deepEqual(created({ ipFamilyPolicy: '', internalTrafficPolicy: '' }), [
      'spec.ipFamilyPolicy: Unsupported value: "": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"',
      'spec.internalTrafficPolicy: Unsupported value: "": supported values: "Cluster", "Local"',
    ]);
    assert.deepEqual(created({ internalTrafficPolicy: undefined }), ['spec.internalTrafficPolicy: Required value']);
    const external = { ...spec, type: 'ExternalName', externalName: 'a.example.com', internalTrafficPolicy: 'X' };
    const bare = { ...external, clusterIP: '', clusterIPs: [], ipFamilies: [], ipFamilyPolicy: undefined };
    assert.deepEqual(created(bare), [
      'spec.internalTrafficPolicy: Unsupported value: "X": supported values: "Cluster", "Local"',
    ]);
  });
  it('compares addresses with known families only', () => {
    assert.deepEqual(created({ ipFamilies: ['x'] }), [
      'spec.ipFamilies[0]: Unsupported value: "x": supported values: "IPv4", "IPv6"',
    ]);
    assert.deepEqual(created({ ipFamilies: ['IPv6'] }), [
      'spec.clusterIPs[0]: Invalid value: "10.0.0.5": expected an IPv6 value as indicated by `ipFamilies[0]`',
    ]);
    const many = '["10.0.0.5","10.0.0.5","10.0.0.5"]';
    assert.deepEqual(created({ clusterIPs: JSON.parse(many) as unknown }), [
      `spec.clusterIPs: Invalid value: ${many}: may only hold up to 2 values`,
      `spec.clusterIPs: Invalid value: ${many}: may specify no more than one IP for each IP family`,
    ]);
  });
});

describe('validateServiceUpdate', () => {
  const updated = (rest: object, old: object) => lines(validateServiceUpdate(service(rest), service(old)));

  it('says twice what is wrong with the class of a load balancer', () => {
    assert.deepEqual(updated({ ...balancer, loadBalancerClass: 'a/' }, balancer), [
      'spec.loadBalancerClass: Invalid value: "a/": may not change once set',
      ...Array<string[]>(2)
        .fill([
          'spec.loadBalancerClass: Invalid value: "a/": name part must be non-empty',
          "spec.loadBalancerClass: Invalid value: \"a/\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        ])
        .flat(),
    ]);
    const forbidden = "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'";
    assert.deepEqual(updated({ loadBalancerClass: 'example.com/b' }, {}), [forbidden, forbidden]);
  });

  it('checks the annotations of a Service', () => {
    const annotations = {
      'service.kubernetes.io/topology-mode': 'Auto',
      'service.kubernetes.io/topology-aware-hints': 'Disabled',
      'service.beta.kubernetes.io/load-balancer-source-ranges': '10.0.0.0/8, x',
    };
    const headless = {
      type: 'ClusterIP',
      clusterIP: 'None',
      clusterIPs: ['None'],
      sessionAffinity: 'None',
      internalTrafficPolicy: 'Cluster',
    };
    const annotated = object('Service', 'x', { spec: headless });
    annotated.metadata.annotations = annotations;
    const ranges = 'metadata.annotations[service.beta.kubernetes.io/load-balancer-source-ranges]';
    assert.deepEqual(lines(validateService(annotated)), [
      'metadata.annotations[service.kubernetes.io/topology-mode]: Invalid value: "Auto": must match annotations[service.kubernetes.io/topology-aware-hints] when both are specified',
      `${ranges}: Forbidden: may only be used when \`type\` is 'LoadBalancer'`,
      `${ranges}: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)`,
    ]);
  });
});
