package framework

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/storage"
	"k8s.io/client-go/rest"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/controlplane"
)

// anyToken is sent by clients of tests whose authenticator takes every request for the same user.
const anyToken = "any"

// unopinionated stands for the server's own authorizer. The server asks its own modes after the webhook.
type unopinionated struct{}

func (unopinionated) Authorize(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
	return authorizer.DecisionNoOpinion, "", nil
}

// unauthenticated stands for the server's own authenticator, which the server asks before the webhook.
type unauthenticated struct{}

func (unauthenticated) AuthenticateRequest(*http.Request) (*authenticator.Response, bool, error) {
	return nil, false, nil
}

// serveReviews lets a test keep the authenticator and authorizer that it puts into the server's configuration: they stay in the process of the
// test and answer the server's reviews over HTTP. Resources that a test enables become a flag. A test that changes something else is skipped.
// Returns whether clients have no token of their own.
func serveReviews(t testing.TB, dir string, opts *options.ServerRunOptions, modify func(*controlplane.Config)) bool {
	config := &controlplane.Config{}
	config.ControlPlane.Generic = genericapiserver.NewConfig(legacyscheme.Codecs)
	config.ControlPlane.Generic.LoopbackClientConfig = &rest.Config{BearerToken: "administrator"}
	config.ControlPlane.Generic.Authentication.Authenticator = unauthenticated{}
	config.ControlPlane.Generic.Authorization.Authorizer = unopinionated{}
	if !tryModify(config, modify) || reachesFurther(config) {
		t.Skip("not applicable: the test changes the server's configuration in its own process")
	}
	enableResources(opts, config.ControlPlane.Extra.APIResourceConfigSource)
	authn := config.ControlPlane.Generic.Authentication.Authenticator
	authz := config.ControlPlane.Generic.Authorization.Authorizer
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	if _, same := authn.(unauthenticated); !same && authn != nil {
		mux.HandleFunc("/authenticate", func(w http.ResponseWriter, r *http.Request) { authenticate(w, r, authn) })
		opts.Authentication.WebHook.ConfigFile = writeWebhook(t, dir, server.URL, "authenticate")
		opts.Authentication.WebHook.Version = "v1"
		opts.Authentication.WebHook.CacheTTL = 0
	}
	if _, same := authz.(unopinionated); !same {
		mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) { authorize(w, r, authz) })
		opts.Authorization.WebhookConfigFile = writeWebhook(t, dir, server.URL, "authorize")
		opts.Authorization.WebhookVersion = "v1"
		opts.Authorization.WebhookCacheAuthorizedTTL = 0
		opts.Authorization.WebhookCacheUnauthorizedTTL = 0
		opts.Authorization.Modes = append([]string{"Webhook"}, opts.Authorization.Modes...)
	}
	return config.ControlPlane.Generic.LoopbackClientConfig.BearerToken == ""
}

// reachesFurther is true for what has no flag: how requests are understood, the documents of OpenAPI, the signer of tokens.
func reachesFurther(config *controlplane.Config) bool {
	generic := config.ControlPlane.Generic
	return generic.RequestInfoResolver != nil || generic.OpenAPIConfig != nil || config.ControlPlane.Extra.ServiceAccountMaxExpiration != 0
}

// enableResources adds the versions and resources that the test enables to --runtime-config.
func enableResources(opts *options.ServerRunOptions, source any) {
	wanted, ok := source.(*storage.ResourceConfig)
	if !ok || wanted == nil {
		return
	}
	defaults := controlplane.DefaultAPIResourceConfigSource()
	for version, enabled := range wanted.GroupVersionConfigs {
		if enabled != defaults.GroupVersionConfigs[version] {
			opts.APIEnablement.RuntimeConfig[version.String()] = strconv.FormatBool(enabled)
		}
	}
	for resource, enabled := range wanted.ResourceConfigs {
		if before, known := defaults.ResourceConfigs[resource]; !known || before != enabled {
			opts.APIEnablement.RuntimeConfig[resource.GroupVersion().String()+"/"+resource.Resource] = strconv.FormatBool(enabled)
		}
	}
}

// tryModify is false when the test needs more of the configuration than there is.
func tryModify(config *controlplane.Config, modify func(*controlplane.Config)) (done bool) {
	defer func() {
		if recover() != nil {
			done = false
		}
	}()
	modify(config)
	return true
}

func writeWebhook(t testing.TB, dir, url, name string) string {
	file := filepath.Join(dir, name+".kubeconfig")
	text := fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"c","clusters":[{"name":"c","cluster":{"server":%q}}],"contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}],"users":[{"name":"u","user":{}}]}`, url+"/"+name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func authenticate(w http.ResponseWriter, r *http.Request, authn authenticator.Request) {
	review := authenticationv1.TokenReview{}
	if !decode(w, r, &review) {
		return
	}
	request, err := http.NewRequestWithContext(r.Context(), http.MethodGet, "/", nil)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	request.Header.Set("Authorization", "Bearer "+review.Spec.Token)
	response, found, err := authn.AuthenticateRequest(request)
	status := authenticationv1.TokenReviewStatus{Authenticated: found && err == nil && response.User != nil}
	if err != nil {
		status.Error = err.Error()
	}
	if status.Authenticated {
		status.Audiences = review.Spec.Audiences
		status.User = authenticationv1.UserInfo{
			Username: response.User.GetName(),
			UID:      response.User.GetUID(),
			Groups:   response.User.GetGroups(),
			Extra:    map[string]authenticationv1.ExtraValue{},
		}
		for key, values := range response.User.GetExtra() {
			status.User.Extra[key] = values
		}
	}
	review.Status = status
	encode(w, review)
}

func authorize(w http.ResponseWriter, r *http.Request, authz authorizer.Authorizer) {
	review := authorizationv1.SubjectAccessReview{}
	if !decode(w, r, &review) {
		return
	}
	decision, reason, err := authz.Authorize(r.Context(), attributesOf(review.Spec))
	review.Status = authorizationv1.SubjectAccessReviewStatus{
		Allowed: decision == authorizer.DecisionAllow,
		Denied:  decision == authorizer.DecisionDeny,
		Reason:  reason,
	}
	if err != nil {
		review.Status.EvaluationError = err.Error()
	}
	encode(w, review)
}

func attributesOf(spec authorizationv1.SubjectAccessReviewSpec) authorizer.Attributes {
	extra := map[string][]string{}
	for key, values := range spec.Extra {
		extra[key] = values
	}
	attributes := authorizer.AttributesRecord{User: &user.DefaultInfo{Name: spec.User, UID: spec.UID, Groups: spec.Groups, Extra: extra}}
	if resource := spec.ResourceAttributes; resource != nil {
		attributes.ResourceRequest = true
		attributes.Verb = resource.Verb
		attributes.Namespace = resource.Namespace
		attributes.APIGroup = resource.Group
		attributes.APIVersion = resource.Version
		attributes.Resource = resource.Resource
		attributes.Subresource = resource.Subresource
		attributes.Name = resource.Name
	}
	if path := spec.NonResourceAttributes; path != nil {
		attributes.Verb = path.Verb
		attributes.Path = path.Path
	}
	return attributes
}

func decode(w http.ResponseWriter, r *http.Request, review any) bool {
	if err := json.NewDecoder(r.Body).Decode(review); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return false
	}
	return true
}

func encode(w http.ResponseWriter, review any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(review); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
