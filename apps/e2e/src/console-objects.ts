/** A small shop: what the tests of the console look at. */
export const shopManifests = `apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: web-settings, namespace: shop}
data: {greeting: hello, theme: calm}
---
apiVersion: v1
kind: Secret
metadata: {name: web-tls, namespace: shop}
stringData: {key: x}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: web, namespace: shop}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop, labels: {app: web}}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: 8080}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {app: web}}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      serviceAccountName: web
      containers:
      - name: web
        image: registry.example.com/web:1.4
        ports: [{containerPort: 8080}]
        envFrom: [{configMapRef: {name: web-settings}}]
      volumes:
      - name: tls
        secret: {secretName: web-tls}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: readers, namespace: shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: User, name: jane}]
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: orders.shop.example.com}
spec:
  group: shop.example.com
  scope: Namespaced
  names: {plural: orders, singular: order, kind: Order, shortNames: [ord]}
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns:
    - {name: Customer, type: string, jsonPath: .spec.customer}
    - {name: Total, type: integer, jsonPath: .spec.total}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [customer]
            properties:
              customer: {type: string, description: Who ordered., minLength: 1}
              total: {type: integer, minimum: 0, description: The price of everything in cents.}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.metrics.example.com}
spec: {group: metrics.example.com, version: v1, groupPriorityMinimum: 100, versionPriority: 100, service: {name: metrics, namespace: shop}, insecureSkipTLSVerify: true}
---
apiVersion: v1
kind: Event
metadata: {name: web.1, namespace: shop}
involvedObject: {apiVersion: apps/v1, kind: Deployment, name: web, namespace: shop}
type: Normal
reason: ScalingReplicaSet
message: Scaled up replica set web-6f7c9d to 3
count: 1
source: {component: deployment-controller}
`;

/** What a controller would make of the Deployment of the shop, and an order. They need the definition, and the uid of the owner. */
export const replicaSetOf = (uid: string): string => `apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: web-6f7c9d
  namespace: shop
  labels: {app: web}
  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: ${uid}, controller: true}]
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: 'registry.example.com/web:1.4'}]}
---
apiVersion: shop.example.com/v1
kind: Order
metadata: {name: order-1042, namespace: shop}
spec: {customer: ada, total: 4200}
`;

/** Something that the ReplicaSet owns. It needs the uid of the owner. */
export const settingsOf = (uid: string): string => `apiVersion: v1
kind: ConfigMap
metadata:
  name: web-owned
  namespace: shop
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-6f7c9d, uid: ${uid}, controller: true}]
`;
