package campaigns

import (
	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/starlark/host"
)

var loadCampaign campaign.Loader = host.Load
